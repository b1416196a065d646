package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	appsapply "k8s.io/client-go/applyconfigurations/apps/v1"
	autoscalingapply "k8s.io/client-go/applyconfigurations/autoscaling/v1"
	coreapply "k8s.io/client-go/applyconfigurations/core/v1"
	metaapply "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/kubernetes"
	appsclient "k8s.io/client-go/kubernetes/typed/apps/v1"
)

var (
	first  = metav1.ApplyOptions{FieldManager: "first"}
	second = metav1.ApplyOptions{FieldManager: "second"}
	forced = metav1.ApplyOptions{FieldManager: "second", Force: true}
)

func (p *program) deployments() (appsclient.DeploymentInterface, error) {
	client, err := kubernetes.NewForConfig(p.config)
	if err != nil {
		return nil, err
	}
	return client.AppsV1().Deployments(p.namespace), nil
}

// appliedWeb is the whole configuration of the first manager.
func (p *program) appliedWeb() *appsapply.DeploymentApplyConfiguration {
	labels := map[string]string{"app": "applied"}
	pod := coreapply.PodTemplateSpec().WithLabels(labels).WithSpec(coreapply.PodSpec().WithContainers(
		coreapply.Container().WithName("web").WithImage("nginx:1"),
	))
	return appsapply.Deployment("applied", p.namespace).WithLabels(map[string]string{"tier": "front"}).WithSpec(
		appsapply.DeploymentSpec().WithReplicas(2).
			WithSelector(metaapply.LabelSelector().WithMatchLabels(labels)).WithTemplate(pod),
	)
}

// appliedReplicas is the configuration of the second manager: one field.
func (p *program) appliedReplicas(replicas int32) *appsapply.DeploymentApplyConfiguration {
	return appsapply.Deployment("applied", p.namespace).WithSpec(appsapply.DeploymentSpec().WithReplicas(replicas))
}

// managersOf returns the entries of managedFields in the order of their names: in the object they are ordered by time.
func managersOf(object metav1.Object) string {
	var entries []string
	for _, entry := range object.GetManagedFields() {
		entries = append(entries, fmt.Sprintf("%s %s %q", entry.Manager, entry.Operation, entry.Subresource))
	}
	slices.Sort(entries)
	return strings.Join(entries, "; ")
}

// applyConfigurations creates and changes a Deployment with typed apply configurations of two managers.
func applyConfigurations(p *program) error {
	deployments, err := p.deployments()
	if err != nil {
		return err
	}
	dry := first
	dry.DryRun = []string{metav1.DryRunAll}
	if _, err = deployments.Apply(p.ctx, p.appliedWeb(), dry); err != nil {
		return err
	}
	if _, err = deployments.Get(p.ctx, "applied", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		return fmt.Errorf("a dry run stores the object: %v", err)
	}
	created, err := deployments.Apply(p.ctx, p.appliedWeb(), first)
	if err != nil {
		return err
	}
	if err = want("the managers", managersOf(created), `first Apply ""`); err != nil {
		return err
	}
	again, err := deployments.Apply(p.ctx, p.appliedWeb(), first)
	if err != nil {
		return err
	}
	if err = want("the revision after the same apply", again.ResourceVersion, created.ResourceVersion); err != nil {
		return err
	}
	if err = p.conflictAndForce(deployments); err != nil {
		return err
	}
	if _, err = deployments.Apply(p.ctx, p.appliedWeb(), metav1.ApplyOptions{}); !apierrors.IsInvalid(err) {
		return fmt.Errorf("an apply without a manager says %v", err)
	}
	withUID := p.appliedReplicas(1).WithUID("another")
	if _, err = deployments.Apply(p.ctx, withUID, forced); !apierrors.IsInvalid(err) {
		return fmt.Errorf("an apply with another uid says %v", err)
	}
	stale := p.appliedReplicas(1).WithResourceVersion(created.ResourceVersion)
	if _, err = deployments.Apply(p.ctx, stale, forced); !apierrors.IsConflict(err) {
		return fmt.Errorf("an apply with an old revision says %v", err)
	}
	return nil
}

// conflictAndForce applies another value of a field of the first manager, which is a conflict unless it is forced.
func (p *program) conflictAndForce(deployments appsclient.DeploymentInterface) error {
	_, err := deployments.Apply(p.ctx, p.appliedReplicas(3), second)
	if !apierrors.IsConflict(err) || !apierrors.HasStatusCause(err, metav1.CauseTypeFieldManagerConflict) {
		return fmt.Errorf("a conflict says %v", err)
	}
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return fmt.Errorf("a conflict is a %T", err)
	}
	cause := metav1.StatusCause{
		Type: metav1.CauseTypeFieldManagerConflict, Message: `conflict with "first"`, Field: ".spec.replicas",
	}
	if causes := status.Status().Details.Causes; len(causes) != 1 || causes[0] != cause {
		return fmt.Errorf("the causes of a conflict are %v", causes)
	}
	changed, err := deployments.Apply(p.ctx, p.appliedReplicas(3), forced)
	if err != nil {
		return err
	}
	if err = want("spec.replicas", *changed.Spec.Replicas, int32(3)); err != nil {
		return err
	}
	return want("the managers", managersOf(changed), `first Apply ""; second Apply ""`)
}

// extractAndApply reads the configuration of a manager from an object, changes it and applies it again.
func extractAndApply(p *program) error {
	deployments, err := p.deployments()
	if err != nil {
		return err
	}
	live, err := deployments.Get(p.ctx, "applied", metav1.GetOptions{})
	if err != nil {
		return err
	}
	mine, err := appsapply.ExtractDeployment(live, second.FieldManager)
	if err != nil {
		return err
	}
	if !equality.Semantic.DeepEqual(mine, p.appliedReplicas(3)) {
		return fmt.Errorf("the configuration of the second manager is %+v", mine)
	}
	whole, err := appsapply.ExtractDeployment(live, first.FieldManager)
	if err != nil {
		return err
	}
	if whole.Spec.Replicas != nil || *whole.Spec.Template.Spec.Containers[0].Image != "nginx:1" {
		return fmt.Errorf("the configuration of the first manager is %+v", whole)
	}
	delete(whole.Labels, "tier")
	whole.Spec.Template.Spec.Containers[0].WithImage("nginx:2")
	changed, err := deployments.Apply(p.ctx, whole, first)
	if err != nil {
		return err
	}
	if _, found := changed.Labels["tier"]; found {
		return errors.New("a label that is no longer applied is still there")
	}
	return p.checkImage(changed, "nginx:2")
}

func (p *program) checkImage(deployment *appsv1.Deployment, image string) error {
	return want("the image", deployment.Spec.Template.Spec.Containers[0].Image, image)
}

// applySubresources applies to status and scale, each of which has managers of its own.
func applySubresources(p *program) error {
	deployments, err := p.deployments()
	if err != nil {
		return err
	}
	seen := appsapply.DeploymentCondition().WithType("Seen").WithStatus(corev1.ConditionTrue)
	status := appsapply.Deployment("applied", p.namespace).WithLabels(map[string]string{"ignored": "yes"}).
		WithStatus(appsapply.DeploymentStatus().WithReplicas(3).WithConditions(seen))
	changed, err := deployments.ApplyStatus(p.ctx, status, second)
	if err != nil {
		return err
	}
	if err = want("status.replicas", changed.Status.Replicas, int32(3)); err != nil {
		return err
	}
	if _, found := changed.Labels["ignored"]; found {
		return errors.New("an apply to the status changes labels")
	}
	mine, err := appsapply.ExtractDeploymentStatus(changed, second.FieldManager)
	if err != nil {
		return err
	}
	if mine.Status == nil || *mine.Status.Replicas != 3 || len(mine.Status.Conditions) != 1 || mine.Spec != nil {
		return fmt.Errorf("the configuration of the status is %+v", mine)
	}
	scale := autoscalingapply.Scale().WithName("applied").WithNamespace(p.namespace).
		WithSpec(autoscalingapply.ScaleSpec().WithReplicas(7))
	third := metav1.ApplyOptions{FieldManager: "third"}
	if _, err = deployments.ApplyScale(p.ctx, "applied", scale, third); !apierrors.IsConflict(err) {
		return fmt.Errorf("a conflict over the scale says %v", err)
	}
	third.Force = true
	scaled, err := deployments.ApplyScale(p.ctx, "applied", scale, third)
	if err != nil {
		return err
	}
	if err = want("the scale", scaled.Spec.Replicas, int32(7)); err != nil {
		return err
	}
	live, err := deployments.Get(p.ctx, "applied", metav1.GetOptions{})
	if err != nil {
		return err
	}
	return want("the managers", managersOf(live), `first Apply ""; second Apply "status"; third Apply "scale"`)
}

// applyDynamic uses the dynamic client, which sends what a program without types has.
func applyDynamic(p *program) error {
	config := object("ConfigMap", "dynamic", map[string]any{"data": map[string]any{"k": "v"}})
	made, err := p.configMaps().Apply(p.ctx, "dynamic", config, first)
	if err != nil {
		return err
	}
	if err = want("the managers", managersOf(made), `first Apply ""`); err != nil {
		return err
	}
	if _, err = p.configMaps().Apply(p.ctx, "dynamic", made, first); err == nil {
		return errors.New("an apply of an object with managedFields succeeds")
	}
	config.SetUnstructuredContent(map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "dynamic"},
		"data": map[string]any{"k": int64(1)},
	})
	if _, err = p.configMaps().Apply(p.ctx, "dynamic", config, second); err == nil {
		return errors.New("an apply of a number in place of a string succeeds")
	}
	if p.isExact && !apierrors.IsInvalid(err) {
		return fmt.Errorf("an apply of a number in place of a string says %v", err)
	}
	values, _, err := unstructured.NestedStringMap(made.Object, "data")
	if err != nil {
		return err
	}
	return want("data", fmt.Sprint(values), "map[k:v]")
}
