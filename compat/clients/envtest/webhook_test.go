package envtest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

const (
	defaultingPath = "/mutate-apps-v1-deployment"
	validatingPath = "/validate-apps-v1-deployment"
	ownerKey       = "example.com/owner"
)

// deploymentWebhook is a webhook as kubebuilder scaffolds it: a defaulter and a validator of one type.
type deploymentWebhook struct{}

func (deploymentWebhook) Default(ctx context.Context, deployment *appsv1.Deployment) error {
	request, err := admission.RequestFromContext(ctx)
	if err != nil {
		return err
	}
	if deployment.Annotations == nil {
		deployment.Annotations = map[string]string{}
	}
	if _, found := deployment.Annotations[ownerKey]; !found {
		deployment.Annotations[ownerKey] = fmt.Sprintf("%s/%s", request.Operation, request.UserInfo.Username)
	}
	return nil
}

func (deploymentWebhook) ValidateCreate(_ context.Context, deployment *appsv1.Deployment) (admission.Warnings, error) {
	return check(deployment)
}

func (deploymentWebhook) ValidateUpdate(_ context.Context, old, deployment *appsv1.Deployment) (admission.Warnings, error) {
	if old.Annotations[ownerKey] != deployment.Annotations[ownerKey] {
		return nil, fmt.Errorf("the owner is %s and does not change", old.Annotations[ownerKey])
	}
	return check(deployment)
}

func (deploymentWebhook) ValidateDelete(_ context.Context, deployment *appsv1.Deployment) (admission.Warnings, error) {
	if deployment.Labels["keep"] == "true" {
		return admission.Warnings{"remove the label keep first"}, fmt.Errorf("%s is kept", deployment.Name)
	}
	return nil, nil
}

func check(deployment *appsv1.Deployment) (admission.Warnings, error) {
	image := deployment.Spec.Template.Spec.Containers[0].Image
	path := field.NewPath("spec", "template", "spec", "containers").Index(0).Child("image")
	switch {
	case strings.HasSuffix(image, ":latest"):
		return admission.Warnings{path.String() + ": use a version"}, nil
	case !strings.Contains(image, ":"):
		issues := field.ErrorList{field.Invalid(path, image, "must have a tag")}
		kind := appsv1.SchemeGroupVersion.WithKind("Deployment").GroupKind()
		return nil, apierrors.NewInvalid(kind, deployment.Name, issues)
	}
	return nil, nil
}

func webhookConfigurations() envtest.WebhookInstallOptions {
	none, fail := admissionv1.SideEffectClassNone, admissionv1.Fail
	rules := func(operations ...admissionv1.OperationType) []admissionv1.RuleWithOperations {
		rule := admissionv1.Rule{APIGroups: []string{"apps"}, APIVersions: []string{"v1"}, Resources: []string{"deployments"}}
		return []admissionv1.RuleWithOperations{{Operations: operations, Rule: rule}}
	}
	config := func(path string) admissionv1.WebhookClientConfig {
		// envtest replaces the Service by the URL of the local server.
		return admissionv1.WebhookClientConfig{Service: &admissionv1.ServiceReference{Name: "webhook", Namespace: "system", Path: &path}}
	}
	versions := []string{"v1"}
	return envtest.WebhookInstallOptions{
		MutatingWebhooks: []*admissionv1.MutatingWebhookConfiguration{{
			ObjectMeta: metav1.ObjectMeta{Name: "mutating-webhook-configuration"},
			Webhooks: []admissionv1.MutatingWebhook{{
				Name: "mdeployment.kb.io", ClientConfig: config(defaultingPath), Rules: rules("CREATE", "UPDATE"),
				SideEffects: &none, FailurePolicy: &fail, AdmissionReviewVersions: versions,
			}},
		}},
		ValidatingWebhooks: []*admissionv1.ValidatingWebhookConfiguration{{
			ObjectMeta: metav1.ObjectMeta{Name: "validating-webhook-configuration"},
			Webhooks: []admissionv1.ValidatingWebhook{{
				Name: "vdeployment.kb.io", ClientConfig: config(validatingPath), Rules: rules("CREATE", "UPDATE", "DELETE"),
				SideEffects: &none, FailurePolicy: &fail, AdmissionReviewVersions: versions,
			}},
		}},
	}
}

// warnings records the warnings of responses.
type warnings struct {
	mutex sync.Mutex
	texts []string
}

func (w *warnings) HandleWarningHeader(_ int, _ string, text string) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.texts = append(w.texts, text)
}

func (w *warnings) take() string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	taken := strings.Join(w.texts, "|")
	w.texts = nil
	return taken
}

func deploymentOf(namespace, name, image string) *appsv1.Deployment {
	labels := map[string]string{"app": name}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: name, Image: image}}},
			},
		},
	}
}

func startWebhooks(t *testing.T) *rest.Config {
	t.Helper()
	env := &envtest.Environment{WebhookInstallOptions: webhookConfigurations()}
	config, err := env.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := env.Stop(); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	options := &env.WebhookInstallOptions
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Metrics: metricsserver.Options{BindAddress: "0"},
		WebhookServer: webhook.NewServer(webhook.Options{
			Host: options.LocalServingHost, Port: options.LocalServingPort, CertDir: options.LocalServingCertDir,
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := ctrl.NewWebhookManagedBy(manager, &appsv1.Deployment{}).
		WithDefaulter(deploymentWebhook{}).WithValidator(deploymentWebhook{}).Complete(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- manager.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("manager: %v", err)
		}
	})
	return config
}

func TestAdmissionWebhooks(t *testing.T) {
	config := startWebhooks(t)
	seen := &warnings{}
	config.WarningHandler = seen
	c := newClient(t, config)
	namespace := newNamespace(t, c)

	web := deploymentOf(namespace, "web", "web:1")
	// The webhook server may take a moment to listen, and the API server to use the configurations.
	eventually(t, "the webhook", func(ctx context.Context) (bool, error) {
		probe := deploymentOf(namespace, "probe", "probe")
		return apierrors.IsInvalid(c.Create(ctx, probe, client.DryRunAll)), nil
	})
	if err := c.Create(t.Context(), web); err != nil {
		t.Fatal(err)
	}
	if owner := web.Annotations[ownerKey]; owner != "CREATE/admin" {
		t.Errorf("the owner is %q", owner)
	}

	err := c.Create(t.Context(), deploymentOf(namespace, "bad", "bad"))
	want := `admission webhook "vdeployment.kb.io" denied the request: Deployment.apps "bad" is invalid: ` +
		`spec.template.spec.containers[0].image: Invalid value: "bad": must have a tag`
	if !apierrors.IsInvalid(err) || err.Error() != want {
		t.Errorf("an image without a tag: %v", err)
	}
	if cause, found := apierrors.StatusCause(err, metav1.CauseTypeFieldValueInvalid); !found ||
		cause.Field != "spec.template.spec.containers[0].image" {
		t.Errorf("the cause is %v", cause)
	}

	web.Spec.Template.Spec.Containers[0].Image = "web:latest"
	web.Labels = map[string]string{"keep": "true"}
	if err := c.Update(t.Context(), web); err != nil {
		t.Fatal(err)
	}
	if got := seen.take(); got != "spec.template.spec.containers[0].image: use a version" {
		t.Errorf("warnings of the update: %q", got)
	}
	web.Annotations[ownerKey] = "another"
	if err := c.Update(t.Context(), web); !apierrors.IsForbidden(err) ||
		!strings.HasSuffix(err.Error(), "denied the request: the owner is CREATE/admin and does not change") {
		t.Errorf("another owner: %v", err)
	}
	if err := c.Delete(t.Context(), web); !apierrors.IsForbidden(err) || !strings.HasSuffix(err.Error(), "web is kept") {
		t.Errorf("the deletion of what is kept: %v", err)
	}
	if got := seen.take(); got != "remove the label keep first" {
		t.Errorf("warnings of the deletion: %q", got)
	}
	// A webhook is called for a subresource only if a rule names it.
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(web), web); err != nil {
		t.Fatal(err)
	}
	web.Status.ObservedGeneration = 7
	if err := c.Status().Update(t.Context(), web); err != nil {
		t.Errorf("an update of the status: %v", err)
	}
	patch := client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"labels":null}}`))
	if err := c.Patch(t.Context(), web, patch); err != nil {
		t.Fatal(err)
	}
	if err := c.Delete(t.Context(), web); err != nil {
		t.Errorf("the deletion: %v", err)
	}
}
