package main

import (
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	"k8s.io/kubernetes/pkg/apis/admissionregistration"
	"k8s.io/kubernetes/pkg/apis/apps"
	"k8s.io/kubernetes/pkg/apis/authorization"
	"k8s.io/kubernetes/pkg/apis/autoscaling"
	"k8s.io/kubernetes/pkg/apis/batch"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/flowcontrol"
	"k8s.io/kubernetes/pkg/apis/networking"
	"k8s.io/kubernetes/pkg/apis/policy"
	"k8s.io/kubernetes/pkg/apis/rbac"
	"k8s.io/kubernetes/pkg/apis/resource"
	"k8s.io/kubernetes/pkg/apis/storage"
)

// shapeRoot is an internal type that messages of kube-apiserver print, and the versioned type whose JSON Keelson has of the same value.
type shapeRoot struct{ internal, versioned any }

// shapeRoots is the whole choice of shapes: every struct that these reach is generated too. To print another type, add a line here and run
// `npm run generate:kinds`.
var shapeRoots = []shapeRoot{
	{admissionregistration.AuditAnnotation{}, admissionregistrationv1.AuditAnnotation{}},
	{apiextensions.CustomResourceDefinitionVersion{}, apiextensionsv1beta1.CustomResourceDefinitionVersion{}},
	{apiextensions.JSONSchemaProps{}, apiextensionsv1beta1.JSONSchemaProps{}},
	{apiextensions.JSONSchemaPropsOrArray{}, apiextensionsv1beta1.JSONSchemaPropsOrArray{}},
	{apiextensions.ValidationRule{}, apiextensionsv1beta1.ValidationRule{}},
	{apps.DaemonSetUpdateStrategy{}, appsv1.DaemonSetUpdateStrategy{}},
	{apps.DeploymentStrategy{}, appsv1.DeploymentStrategy{}},
	{apps.RollingUpdateStatefulSetStrategy{}, appsv1.RollingUpdateStatefulSetStrategy{}},
	{apps.StatefulSetUpdateStrategy{}, appsv1.StatefulSetUpdateStrategy{}},
	{authorization.NonResourceAttributes{}, authorizationv1.NonResourceAttributes{}},
	{autoscaling.HorizontalPodAutoscalerBehavior{}, autoscalingv2.HorizontalPodAutoscalerBehavior{}},
	{batch.PodFailurePolicy{}, batchv1.PodFailurePolicy{}},
	{batch.SuccessPolicy{}, batchv1.SuccessPolicy{}},
	{batch.UncountedTerminatedPods{}, batchv1.UncountedTerminatedPods{}},
	{core.ClusterTrustBundleProjection{}, corev1.ClusterTrustBundleProjection{}},
	{core.EphemeralContainer{}, corev1.EphemeralContainer{}},
	{core.EventSource{}, corev1.EventSource{}},
	{core.NodeAddress{}, corev1.NodeAddress{}},
	{core.NodeConfigSource{}, corev1.NodeConfigSource{}},
	{core.NodeSelectorTerm{}, corev1.NodeSelectorTerm{}},
	{core.ObjectReference{}, corev1.ObjectReference{}},
	{core.PersistentVolumeClaimSpec{}, corev1.PersistentVolumeClaimSpec{}},
	{core.PersistentVolumeSource{}, corev1.PersistentVolumeSource{}},
	{core.PodIP{}, corev1.PodIP{}},
	{core.PodResourceClaim{}, corev1.PodResourceClaim{}},
	{core.PodSpec{}, corev1.PodSpec{}},
	{core.PodTemplateSpec{}, corev1.PodTemplateSpec{}},
	{core.ScopeSelector{}, corev1.ScopeSelector{}},
	{core.SeccompProfile{}, corev1.SeccompProfile{}},
	{core.SecurityContext{}, corev1.SecurityContext{}},
	{core.ServicePort{}, corev1.ServicePort{}},
	{core.Taint{}, corev1.Taint{}},
	{core.Toleration{}, corev1.Toleration{}},
	{core.VolumeNodeAffinity{}, corev1.VolumeNodeAffinity{}},
	{flowcontrol.FlowDistinguisherMethod{}, flowcontrolv1.FlowDistinguisherMethod{}},
	{networking.ServiceCIDRSpec{}, networkingv1.ServiceCIDRSpec{}},
	{policy.PodDisruptionBudgetSpec{}, policyv1.PodDisruptionBudgetSpec{}},
	{rbac.RoleRef{}, rbacv1.RoleRef{}},
	{resource.AllocationResult{}, resourcev1.AllocationResult{}},
	{resource.DeviceAttribute{}, resourcev1.DeviceAttribute{}},
	{resource.ResourceClaimSpec{}, resourcev1.ResourceClaimSpec{}},
	{resource.ResourceClaimTemplateSpec{}, resourcev1.ResourceClaimTemplateSpec{}},
	{resource.ResourcePoolStatusRequestStatus{}, resourcev1alpha3.ResourcePoolStatusRequestStatus{}},
	{storage.CSINodeDriver{}, storagev1.CSINodeDriver{}},
	{storage.VolumeAttachmentSpec{}, storagev1.VolumeAttachmentSpec{}},
}

// movedFields are fields of an internal struct that its versioned struct has not, with the JSON name under which Keelson adds them to the
// value before printing. Conversion takes the first five from the pod's spec.
var movedFields = map[string]string{
	"core.PodSecurityContext.HostNetwork":           "hostNetwork",
	"core.PodSecurityContext.HostPID":               "hostPID",
	"core.PodSecurityContext.HostIPC":               "hostIPC",
	"core.PodSecurityContext.ShareProcessNamespace": "shareProcessNamespace",
	"core.PodSecurityContext.HostUsers":             "hostUsers",
}
