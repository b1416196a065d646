package main

import (
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

func named(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name} }

func pointer[T any](value T) *T { return &value }

func podSpec(restart corev1.RestartPolicy) corev1.PodSpec {
	return corev1.PodSpec{
		RestartPolicy: restart,
		Containers: []corev1.Container{{
			Name: "main", Image: "app:1", Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: 8080}},
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100m")}},
		}},
	}
}

func podTemplate(restart corev1.RestartPolicy) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "typed"}}, Spec: podSpec(restart)}
}

func claimSpec() corev1.PersistentVolumeClaimSpec {
	return corev1.PersistentVolumeClaimSpec{
		AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
		Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
	}
}

// kindRuns lists the kinds of the run. Those that limit others come last.
func kindRuns(client kubernetes.Interface, ns string) []kindRun {
	always := corev1.RestartPolicyAlways
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{"app": "typed"}}
	core, apps, batch, network := corev1.SchemeGroupVersion, appsv1.SchemeGroupVersion, batchv1.SchemeGroupVersion, networkingv1.SchemeGroupVersion
	rbac, storage := rbacv1.SchemeGroupVersion, storagev1.SchemeGroupVersion
	backend := networkingv1.IngressBackend{Service: &networkingv1.IngressServiceBackend{Name: "web", Port: networkingv1.ServiceBackendPort{Number: 80}}}
	return []kindRun{
		newKind(core.WithResource("pods"), client.CoreV1().Pods(ns), &corev1.Pod{ObjectMeta: named("typed"), Spec: podSpec(always)},
			func(o *corev1.Pod) { o.Spec.Containers[0].Image = "app:2" }, func(o *corev1.Pod) { o.Status.Phase = corev1.PodRunning }),
		newKind(core.WithResource("services"), client.CoreV1().Services(ns), &corev1.Service{ObjectMeta: named("typed"), Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeNodePort, Ports: []corev1.ServicePort{{Port: 80}}}},
			func(o *corev1.Service) { o.Spec.Ports[0].Port = 81 }, func(o *corev1.Service) { o.Status.LoadBalancer.Ingress = nil }),
		newKind(core.WithResource("configmaps"), client.CoreV1().ConfigMaps(ns), &corev1.ConfigMap{ObjectMeta: named("typed"), Data: map[string]string{"a": "b"}},
			func(o *corev1.ConfigMap) { o.BinaryData = map[string][]byte{"c": {0, 255}} }, nil),
		newKind(core.WithResource("secrets"), client.CoreV1().Secrets(ns), &corev1.Secret{ObjectMeta: named("typed"), Data: map[string][]byte{"a": {1, 2}}},
			func(o *corev1.Secret) { o.Data["b"] = []byte{3} }, nil),
		newKind(core.WithResource("serviceaccounts"), client.CoreV1().ServiceAccounts(ns), &corev1.ServiceAccount{ObjectMeta: named("typed")},
			func(o *corev1.ServiceAccount) { o.AutomountServiceAccountToken = pointer(false) }, nil),
		newKind(core.WithResource("persistentvolumeclaims"), client.CoreV1().PersistentVolumeClaims(ns), &corev1.PersistentVolumeClaim{ObjectMeta: named("typed"), Spec: claimSpec()},
			nil, func(o *corev1.PersistentVolumeClaim) { o.Status.Phase = corev1.ClaimLost }),
		newKind(core.WithResource("persistentvolumes"), client.CoreV1().PersistentVolumes(), &corev1.PersistentVolume{ObjectMeta: named(ns), Spec: corev1.PersistentVolumeSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}, Capacity: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
			PersistentVolumeSource: corev1.PersistentVolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/x"}},
		}}, func(o *corev1.PersistentVolume) { o.Spec.MountOptions = []string{"ro"} }, func(o *corev1.PersistentVolume) { o.Status.Phase = corev1.VolumeAvailable }),
		newKind(core.WithResource("nodes"), client.CoreV1().Nodes(), &corev1.Node{ObjectMeta: named(ns)},
			func(o *corev1.Node) { o.Spec.Unschedulable = true }, func(o *corev1.Node) {
				o.Status.Capacity = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("4")}
			}),
		newKind(core.WithResource("endpoints"), client.CoreV1().Endpoints(ns), &corev1.Endpoints{ObjectMeta: named("typed")},
			func(o *corev1.Endpoints) {
				o.Subsets = []corev1.EndpointSubset{{Addresses: []corev1.EndpointAddress{{IP: "10.1.1.1"}}, Ports: []corev1.EndpointPort{{Port: 80}}}}
			}, nil),
		newKind(core.WithResource("replicationcontrollers"), client.CoreV1().ReplicationControllers(ns), &corev1.ReplicationController{ObjectMeta: named("typed"), Spec: corev1.ReplicationControllerSpec{Template: pointer(podTemplate(always))}},
			func(o *corev1.ReplicationController) { o.Spec.Replicas = pointer[int32](3) }, func(o *corev1.ReplicationController) { o.Status.Replicas = 3 }),
		newKind(apps.WithResource("deployments"), client.AppsV1().Deployments(ns), &appsv1.Deployment{ObjectMeta: named("typed"), Spec: appsv1.DeploymentSpec{Selector: selector, Template: podTemplate(always)}},
			func(o *appsv1.Deployment) { o.Spec.Paused = true }, func(o *appsv1.Deployment) { o.Status.Replicas = 1 }),
		newKind(apps.WithResource("replicasets"), client.AppsV1().ReplicaSets(ns), &appsv1.ReplicaSet{ObjectMeta: named("typed"), Spec: appsv1.ReplicaSetSpec{Selector: selector, Template: podTemplate(always)}},
			func(o *appsv1.ReplicaSet) { o.Spec.MinReadySeconds = 3 }, func(o *appsv1.ReplicaSet) { o.Status.Replicas = 1 }),
		newKind(apps.WithResource("statefulsets"), client.AppsV1().StatefulSets(ns), &appsv1.StatefulSet{ObjectMeta: named("typed"), Spec: appsv1.StatefulSetSpec{
			ServiceName: "typed", Selector: selector, Template: podTemplate(always), VolumeClaimTemplates: []corev1.PersistentVolumeClaim{{ObjectMeta: named("data"), Spec: claimSpec()}},
		}}, func(o *appsv1.StatefulSet) { o.Spec.Replicas = pointer[int32](2) }, func(o *appsv1.StatefulSet) { o.Status.Replicas = 1 }),
		newKind(apps.WithResource("daemonsets"), client.AppsV1().DaemonSets(ns), &appsv1.DaemonSet{ObjectMeta: named("typed"), Spec: appsv1.DaemonSetSpec{Selector: selector, Template: podTemplate(always)}},
			func(o *appsv1.DaemonSet) { o.Spec.MinReadySeconds = 3 }, func(o *appsv1.DaemonSet) { o.Status.NumberReady = 1 }),
		newKind(batch.WithResource("jobs"), client.BatchV1().Jobs(ns), &batchv1.Job{ObjectMeta: named("typed"), Spec: batchv1.JobSpec{Template: podTemplate(corev1.RestartPolicyNever)}},
			func(o *batchv1.Job) { o.Spec.Parallelism = pointer[int32](2) }, func(o *batchv1.Job) { o.Status.StartTime = pointer(metav1.Now()) }),
		newKind(batch.WithResource("cronjobs"), client.BatchV1().CronJobs(ns), &batchv1.CronJob{ObjectMeta: named("typed"), Spec: batchv1.CronJobSpec{Schedule: "@hourly", JobTemplate: batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{Template: podTemplate(corev1.RestartPolicyOnFailure)}}}},
			func(o *batchv1.CronJob) { o.Spec.TimeZone = pointer("Europe/Berlin") }, func(o *batchv1.CronJob) { o.Status.LastScheduleTime = pointer(metav1.Now()) }),
		newKind(network.WithResource("ingresses"), client.NetworkingV1().Ingresses(ns), &networkingv1.Ingress{ObjectMeta: named("typed"), Spec: networkingv1.IngressSpec{DefaultBackend: &backend}},
			func(o *networkingv1.Ingress) { o.Spec.IngressClassName = pointer("typed") }, func(o *networkingv1.Ingress) {
				o.Status.LoadBalancer.Ingress = []networkingv1.IngressLoadBalancerIngress{{IP: "192.0.2.1"}}
			}),
		newKind(network.WithResource("networkpolicies"), client.NetworkingV1().NetworkPolicies(ns), &networkingv1.NetworkPolicy{ObjectMeta: named("typed")},
			func(o *networkingv1.NetworkPolicy) { o.Spec.PodSelector = *selector }, nil),
		newKind(network.WithResource("ingressclasses"), client.NetworkingV1().IngressClasses(), &networkingv1.IngressClass{ObjectMeta: named(ns), Spec: networkingv1.IngressClassSpec{Controller: "example.com/x"}},
			func(o *networkingv1.IngressClass) {
				o.Spec.Parameters = &networkingv1.IngressClassParametersReference{Kind: "Parameters", Name: "p"}
			}, nil),
		newKind(discoveryv1.SchemeGroupVersion.WithResource("endpointslices"), client.DiscoveryV1().EndpointSlices(ns), &discoveryv1.EndpointSlice{ObjectMeta: named("typed"), AddressType: discoveryv1.AddressTypeIPv4},
			func(o *discoveryv1.EndpointSlice) {
				o.Endpoints = []discoveryv1.Endpoint{{Addresses: []string{"10.1.1.1"}}}
			}, nil),
		newKind(autoscalingv2.SchemeGroupVersion.WithResource("horizontalpodautoscalers"), client.AutoscalingV2().HorizontalPodAutoscalers(ns), &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: named("typed"), Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			MaxReplicas: 3, ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "typed"},
		}}, func(o *autoscalingv2.HorizontalPodAutoscaler) { o.Spec.MaxReplicas = 5 }, func(o *autoscalingv2.HorizontalPodAutoscaler) { o.Status.DesiredReplicas = 2 }),
		newKind(policyv1.SchemeGroupVersion.WithResource("poddisruptionbudgets"), client.PolicyV1().PodDisruptionBudgets(ns), &policyv1.PodDisruptionBudget{ObjectMeta: named("typed"), Spec: policyv1.PodDisruptionBudgetSpec{Selector: selector}},
			func(o *policyv1.PodDisruptionBudget) {
				o.Spec.UnhealthyPodEvictionPolicy = pointer(policyv1.AlwaysAllow)
			}, func(o *policyv1.PodDisruptionBudget) { o.Status.ExpectedPods = 1 }),
		newKind(rbac.WithResource("roles"), client.RbacV1().Roles(ns), &rbacv1.Role{ObjectMeta: named("typed")},
			func(o *rbacv1.Role) {
				o.Rules = []rbacv1.PolicyRule{{Verbs: []string{"get"}, APIGroups: []string{""}, Resources: []string{"pods"}}}
			}, nil),
		newKind(rbac.WithResource("rolebindings"), client.RbacV1().RoleBindings(ns), &rbacv1.RoleBinding{ObjectMeta: named("typed"), RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "typed"}},
			func(o *rbacv1.RoleBinding) {
				o.Subjects = []rbacv1.Subject{{Kind: "User", APIGroup: rbacv1.GroupName, Name: "alice"}}
			}, nil),
		newKind(coordinationv1.SchemeGroupVersion.WithResource("leases"), client.CoordinationV1().Leases(ns), &coordinationv1.Lease{ObjectMeta: named("typed")},
			func(o *coordinationv1.Lease) { o.Spec.RenewTime = pointer(metav1.NowMicro()) }, nil),
		newKind(storage.WithResource("storageclasses"), client.StorageV1().StorageClasses(), &storagev1.StorageClass{ObjectMeta: named(ns), Provisioner: "csi.example.com"},
			func(o *storagev1.StorageClass) { o.AllowVolumeExpansion = pointer(true) }, nil),
		newKind(schedulingv1.SchemeGroupVersion.WithResource("priorityclasses"), client.SchedulingV1().PriorityClasses(), &schedulingv1.PriorityClass{ObjectMeta: named(ns), Value: 7},
			func(o *schedulingv1.PriorityClass) { o.Description = "typed" }, nil),
		newKind(core.WithResource("limitranges"), client.CoreV1().LimitRanges(ns), &corev1.LimitRange{ObjectMeta: named("typed"), Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{Type: corev1.LimitTypePod}}}},
			func(o *corev1.LimitRange) {
				o.Spec.Limits[0].Max = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")}
			}, nil),
		newKind(core.WithResource("resourcequotas"), client.CoreV1().ResourceQuotas(ns), &corev1.ResourceQuota{ObjectMeta: named("typed"), Spec: corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{corev1.ResourcePods: resource.MustParse("3")}}},
			func(o *corev1.ResourceQuota) { o.Spec.Hard[corev1.ResourcePods] = resource.MustParse("4") }, func(o *corev1.ResourceQuota) {
				o.Status.Used = corev1.ResourceList{corev1.ResourcePods: resource.MustParse("1")}
			}),
	}
}
