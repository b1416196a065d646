package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"
)

// root names kinds of one group-version; `<Kind>List` comes along where it exists, and every type that they reach.
type root struct {
	group, version string
	kinds          string
}

// roots is the whole choice of what is generated: to add kinds, add lines here and run `npm run generate:kinds`.
var roots = []root{
	{"", "v1", "Namespace ConfigMap Secret ServiceAccount Event"},
	{"apidiscovery.k8s.io", "v2", "APIGroupDiscoveryList"},
	{"apidiscovery.k8s.io", "v2beta1", "APIGroupDiscoveryList"},
	{"apiextensions.k8s.io", "v1", "CustomResourceDefinition ConversionReview"},
	{"apiextensions.k8s.io", "v1beta1", "CustomResourceDefinition ConversionReview"},
	{"authentication.k8s.io", "v1", "TokenReview TokenRequest SelfSubjectReview"},
	{"authorization.k8s.io", "v1", "SubjectAccessReview SelfSubjectAccessReview LocalSubjectAccessReview SelfSubjectRulesReview"},
	{"autoscaling", "v1", "Scale"},
	{"coordination.k8s.io", "v1", "Lease"},
	{"events.k8s.io", "v1", "Event"},
	{"rbac.authorization.k8s.io", "v1", "Role ClusterRole RoleBinding ClusterRoleBinding"},

	// What all groups share. The first line's kinds are those whose group-version is `v1` whatever server answers.
	{"", "v1", "Status APIVersions APIGroup APIGroupList APIResourceList"},
	{"meta.k8s.io", "v1", "Table PartialObjectMetadata WatchEvent DeleteOptions CreateOptions UpdateOptions PatchOptions GetOptions ListOptions"},
}

// extras are types that OpenAPI documents name and no kind reaches.
var extras = []any{
	metav1.Patch{},
	metav1.LabelSelector{},
	metav1.Condition{},
	version.Info{},
}
