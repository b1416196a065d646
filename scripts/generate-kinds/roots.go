package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"
)

// root names kinds of one group-version; `<Kind>List` comes along where it exists, and every type that they reach. `*` is every kind that the
// group-version has of its own, subresource bodies and options included; what all groups share comes with the last lines.
type root struct {
	group, version string
	kinds          string
}

// roots is the whole choice of what is generated: to add kinds, add lines here and run `npm run generate:kinds`.
var roots = []root{
	// Served by default.
	{"", "v1", "*"},
	{"admissionregistration.k8s.io", "v1", "*"},
	{"apiextensions.k8s.io", "v1", "*"},
	{"apiregistration.k8s.io", "v1", "*"},
	{"apps", "v1", "*"},
	{"authentication.k8s.io", "v1", "*"},
	{"authorization.k8s.io", "v1", "*"},
	{"autoscaling", "v1", "*"},
	{"autoscaling", "v2", "*"},
	{"batch", "v1", "*"},
	{"certificates.k8s.io", "v1", "*"},
	{"coordination.k8s.io", "v1", "*"},
	{"discovery.k8s.io", "v1", "*"},
	{"events.k8s.io", "v1", "*"},
	{"flowcontrol.apiserver.k8s.io", "v1", "*"},
	{"networking.k8s.io", "v1", "*"},
	{"node.k8s.io", "v1", "*"},
	{"policy", "v1", "*"},
	{"rbac.authorization.k8s.io", "v1", "*"},
	{"resource.k8s.io", "v1", "*"},
	{"scheduling.k8s.io", "v1", "*"},
	{"storage.k8s.io", "v1", "*"},

	// Served with --runtime-config.
	{"admissionregistration.k8s.io", "v1beta1", "*"},
	{"admissionregistration.k8s.io", "v1alpha1", "*"},
	{"authentication.k8s.io", "v1beta1", "*"},
	{"certificates.k8s.io", "v1beta1", "*"},
	{"certificates.k8s.io", "v1alpha1", "*"},
	{"coordination.k8s.io", "v1beta1", "*"},
	{"coordination.k8s.io", "v1alpha2", "*"},
	{"internal.apiserver.k8s.io", "v1alpha1", "*"},
	{"networking.k8s.io", "v1beta1", "*"},
	{"resource.k8s.io", "v1beta2", "*"},
	{"resource.k8s.io", "v1beta1", "*"},
	{"resource.k8s.io", "v1alpha3", "*"},
	{"scheduling.k8s.io", "v1alpha2", "*"},
	{"storage.k8s.io", "v1beta1", "*"},
	{"storagemigration.k8s.io", "v1beta1", "*"},

	// Spoken with webhooks and in discovery, and stored by older releases.
	{"admission.k8s.io", "v1", "*"},
	{"admission.k8s.io", "v1beta1", "*"},
	{"apidiscovery.k8s.io", "v2", "*"},
	{"apidiscovery.k8s.io", "v2beta1", "*"},
	{"apiextensions.k8s.io", "v1beta1", "*"},

	// What all groups share. The first line's kinds are those whose group-version is `v1` whatever server answers.
	{"", "v1", "Status APIVersions APIGroup APIGroupList APIResourceList WatchEvent DeleteOptions CreateOptions UpdateOptions PatchOptions GetOptions ListOptions"},
	{"meta.k8s.io", "v1", "Table PartialObjectMetadata WatchEvent DeleteOptions CreateOptions UpdateOptions PatchOptions GetOptions ListOptions"},
}

// withoutDefinitions are packages that no OpenAPI document describes.
var withoutDefinitions = []string{"k8s.io/api/admission/v1", "k8s.io/api/admission/v1beta1"}

// extras are types that OpenAPI documents name and no kind reaches.
var extras = []any{
	metav1.Patch{},
	metav1.LabelSelector{},
	metav1.Condition{},
	version.Info{},
}
