package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
)

var (
	namespaces = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	configMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
)

func (p *program) configMaps() dynamic.ResourceInterface {
	return p.dynamic.Resource(configMaps).Namespace(p.namespace)
}

func object(kind, name string, fields map[string]any) *unstructured.Unstructured {
	content := map[string]any{"apiVersion": "v1", "kind": kind, "metadata": map[string]any{"name": name, "labels": map[string]any{"made-by": "client-go"}}}
	for key, value := range fields {
		content[key] = value
	}
	return &unstructured.Unstructured{Object: content}
}

func discover(p *program) error {
	version, err := p.discovery.ServerVersion()
	if err != nil {
		return err
	}
	if !strings.HasPrefix(version.GitVersion, "v1.36.") {
		return fmt.Errorf("gitVersion is %s", version.GitVersion)
	}
	groups, resources, err := p.discovery.ServerGroupsAndResources()
	if err != nil {
		return err
	}
	if len(groups) < 6 || len(resources) < 6 {
		return fmt.Errorf("%d groups, %d lists of resources", len(groups), len(resources))
	}
	mapping, err := p.mapper.RESTMapping(schema.GroupKind{Group: "coordination.k8s.io", Kind: "Lease"})
	if err != nil {
		return err
	}
	return want("the resource of Lease", mapping.Resource.Resource, "leases")
}

func create(p *program) error {
	if _, err := p.dynamic.Resource(namespaces).Create(p.ctx, object("Namespace", p.namespace, nil), metav1.CreateOptions{}); err != nil {
		return err
	}
	for i := range 25 {
		one := object("ConfigMap", fmt.Sprintf("cm-%02d", i), map[string]any{"data": map[string]any{"i": fmt.Sprint(i)}})
		if _, err := p.configMaps().Create(p.ctx, one, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	_, err := p.configMaps().Create(p.ctx, object("ConfigMap", "cm-00", nil), metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("a second create says %v", err)
	}
	_, err = p.configMaps().Create(p.ctx, object("ConfigMap", "Bad_Name", nil), metav1.CreateOptions{})
	if !apierrors.IsInvalid(err) {
		return fmt.Errorf("a bad name says %v", err)
	}
	return nil
}

func listInPages(p *program) error {
	seen, pages, revision, next := 0, 0, "", ""
	for {
		page, err := p.configMaps().List(p.ctx, metav1.ListOptions{Limit: 10, Continue: next})
		if err != nil {
			return err
		}
		if revision != "" && page.GetResourceVersion() != revision {
			return errors.New("pages of one list have several revisions")
		}
		revision, next = page.GetResourceVersion(), page.GetContinue()
		seen, pages = seen+len(page.Items), pages+1
		if next == "" {
			break
		}
	}
	if err := want("the number of pages", pages, 3); err != nil {
		return err
	}
	return want("the number of objects", seen, 25)
}

func update(p *program) error {
	one, err := p.configMaps().Get(p.ctx, "cm-01", metav1.GetOptions{})
	if err != nil {
		return err
	}
	stale := one.DeepCopy()
	if err := unstructured.SetNestedField(one.Object, "updated", "data", "i"); err != nil {
		return err
	}
	if _, err := p.configMaps().Update(p.ctx, one, metav1.UpdateOptions{}); err != nil {
		return err
	}
	_ = unstructured.SetNestedField(stale.Object, "too late", "data", "i")
	if _, err = p.configMaps().Update(p.ctx, stale, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		return fmt.Errorf("a stale update says %v", err)
	}
	_, err = p.configMaps().Get(p.ctx, "missing", metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		return fmt.Errorf("a missing object says %v", err)
	}
	return nil
}

func patch(p *program) error {
	for _, one := range []struct {
		kind types.PatchType
		body string
	}{
		{types.MergePatchType, `{"data":{"merge":"1"}}`},
		{types.JSONPatchType, `[{"op":"add","path":"/data/json","value":"1"}]`},
		{types.StrategicMergePatchType, `{"data":{"strategic":"1","merge":null}}`},
	} {
		if _, err := p.configMaps().Patch(p.ctx, "cm-02", one.kind, []byte(one.body), metav1.PatchOptions{}); err != nil {
			return fmt.Errorf("%s: %w", one.kind, err)
		}
	}
	result, err := p.configMaps().Get(p.ctx, "cm-02", metav1.GetOptions{})
	if err != nil {
		return err
	}
	data, err := json.Marshal(result.Object["data"])
	if err != nil {
		return err
	}
	return want("the patched data", string(data), `{"i":"2","json":"1","strategic":"1"}`)
}

func watchChanges(p *program) error {
	list, err := p.configMaps().List(p.ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	if _, err = p.configMaps().Create(p.ctx, object("ConfigMap", "watched", nil), metav1.CreateOptions{}); err != nil {
		return err
	}
	watcher, err := p.configMaps().Watch(p.ctx, metav1.ListOptions{ResourceVersion: list.GetResourceVersion(), AllowWatchBookmarks: true})
	if err != nil {
		return err
	}
	defer watcher.Stop()
	if _, err = p.configMaps().Patch(p.ctx, "watched", types.MergePatchType, []byte(`{"data":{"a":"b"}}`), metav1.PatchOptions{}); err != nil {
		return err
	}
	if err = p.configMaps().Delete(p.ctx, "watched", metav1.DeleteOptions{}); err != nil {
		return err
	}
	for _, wanted := range []watch.EventType{watch.Added, watch.Modified, watch.Deleted} {
		event, open := <-watcher.ResultChan()
		if !open || event.Type != wanted {
			return fmt.Errorf("event is %q, not %q", event.Type, wanted)
		}
	}
	return nil
}

func deleteAll(p *program) error {
	if err := p.configMaps().Delete(p.ctx, "cm-03", metav1.DeleteOptions{}); err != nil {
		return err
	}
	if err := p.configMaps().Delete(p.ctx, "cm-03", metav1.DeleteOptions{}); !apierrors.IsNotFound(err) {
		return fmt.Errorf("a second delete says %v", err)
	}
	if err := p.configMaps().DeleteCollection(p.ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "made-by=client-go"}); err != nil {
		return err
	}
	left, err := p.configMaps().List(p.ctx, metav1.ListOptions{LabelSelector: "made-by=client-go"})
	if err != nil {
		return err
	}
	return want("what is left", len(left.Items), 0)
}
