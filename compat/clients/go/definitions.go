package main

import (
	"context"
	"fmt"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
)

var anything = &apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: new(bool)}

func init() { *anything.XPreserveUnknownFields = true }

func (p *program) definitions(contentType string) (apiextensions.Interface, error) {
	config := rest.CopyConfig(p.config)
	config.ContentType, config.AcceptContentTypes = contentType, contentType+",application/json"
	return apiextensions.NewForConfig(config)
}

func version(name string, storage bool) apiextensionsv1.CustomResourceDefinitionVersion {
	return apiextensionsv1.CustomResourceDefinitionVersion{
		Name: name, Served: true, Storage: storage,
		Schema:       &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: anything},
		Subresources: &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}},
	}
}

func definition(plural string, versions ...apiextensionsv1.CustomResourceDefinitionVersion) *apiextensionsv1.CustomResourceDefinition {
	group := plural + ".clients.example.com"
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: plural + "." + group},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: group, Scope: apiextensionsv1.NamespaceScoped, Versions: versions,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: plural, Kind: "Thing", ListKind: "ThingList"},
		},
	}
}

func resourceOf(plural, version string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: plural + ".clients.example.com", Version: version, Resource: plural}
}

func thing(plural, version, name string, spec map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": plural + ".clients.example.com/" + version, "kind": "Thing",
		"metadata": map[string]any{"name": name}, "spec": spec,
	}}
}

// served waits until objects of the version can be listed.
func (p *program) served(resource schema.GroupVersionResource) error {
	for try := 0; ; try++ {
		_, err := p.dynamic.Resource(resource).Namespace(p.namespace).List(p.ctx, metav1.ListOptions{Limit: 1})
		if err == nil || try == 200 || !apierrors.IsNotFound(err) {
			return err
		}
		time.Sleep(25 * time.Millisecond)
	}
}

func isEstablished(crd *apiextensionsv1.CustomResourceDefinition) bool {
	for _, condition := range crd.Status.Conditions {
		if condition.Type == apiextensionsv1.Established && condition.Status == apiextensionsv1.ConditionTrue {
			return true
		}
	}
	return false
}

func defineWithJSON(p *program) error { return p.define("application/json", "jsonthings") }

func defineWithProtobuf(p *program) error {
	return p.define("application/vnd.kubernetes.protobuf", "protothings")
}

// define takes a definition through its life: create, watch until it is established, get, list, update, status, delete.
func (p *program) define(contentType, plural string) error {
	clients, err := p.definitions(contentType)
	if err != nil {
		return err
	}
	client := clients.ApiextensionsV1().CustomResourceDefinitions()
	made, err := client.Create(p.ctx, definition(plural, version("v1", true)), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if _, err = client.Create(p.ctx, definition(plural, version("v1", true)), metav1.CreateOptions{}); !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("a second create says %v", err)
	}
	ctx, cancel := context.WithTimeout(p.ctx, 10*time.Second)
	defer cancel()
	watcher, err := client.Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + made.Name})
	if err != nil {
		return err
	}
	defer watcher.Stop()
	if err = until(watcher, func(event watch.Event) bool {
		crd, ok := event.Object.(*apiextensionsv1.CustomResourceDefinition)
		return ok && isEstablished(crd)
	}); err != nil {
		return fmt.Errorf("until it is established: %w", err)
	}
	if err = p.served(resourceOf(plural, "v1")); err != nil {
		return err
	}
	crd, err := client.Get(p.ctx, made.Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if err = want("the stored version", fmt.Sprint(crd.Status.StoredVersions), "[v1]"); err != nil {
		return err
	}
	if schema := crd.Spec.Versions[0].Schema.OpenAPIV3Schema; schema.XPreserveUnknownFields == nil || !*schema.XPreserveUnknownFields {
		return fmt.Errorf("the schema came back as %v", schema)
	}
	crd.Spec.Names.ShortNames = []string{plural[:5]}
	crd.Spec.Versions = append(crd.Spec.Versions, version("v2", false))
	if crd, err = client.Update(p.ctx, crd, metav1.UpdateOptions{}); err != nil {
		return err
	}
	if err = p.served(resourceOf(plural, "v2")); err != nil {
		return err
	}
	crd.Spec.Scope = apiextensionsv1.ClusterScoped
	if _, err = client.Update(p.ctx, crd, metav1.UpdateOptions{}); !apierrors.IsInvalid(err) && !apierrors.IsConflict(err) {
		return fmt.Errorf("another scope says %v", err)
	}
	list, err := client.List(p.ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + made.Name})
	if err != nil {
		return err
	}
	if err = want("the number of definitions", len(list.Items), 1); err != nil {
		return err
	}
	if err = client.Delete(p.ctx, made.Name, metav1.DeleteOptions{}); err != nil {
		return err
	}
	return until(watcher, func(event watch.Event) bool { return event.Type == watch.Deleted })
}

// until reads events until one is the one.
func until(watcher watch.Interface, isIt func(watch.Event) bool) error {
	for event := range watcher.ResultChan() {
		if event.Type == watch.Error {
			return fmt.Errorf("the watch says %v", event.Object)
		}
		if isIt(event) {
			return nil
		}
	}
	return fmt.Errorf("the watch ended")
}
