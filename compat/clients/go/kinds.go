package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

const protobuf = "application/vnd.kubernetes.protobuf"

// typedClient is what all typed clients have in common.
type typedClient[T, L any] interface {
	Create(context.Context, T, metav1.CreateOptions) (T, error)
	Update(context.Context, T, metav1.UpdateOptions) (T, error)
	Delete(context.Context, string, metav1.DeleteOptions) error
	Get(context.Context, string, metav1.GetOptions) (T, error)
	List(context.Context, metav1.ListOptions) (L, error)
	Watch(context.Context, metav1.ListOptions) (watch.Interface, error)
	Patch(context.Context, string, types.PatchType, []byte, metav1.PatchOptions, ...string) (T, error)
}

type statusClient[T any] interface {
	UpdateStatus(context.Context, T, metav1.UpdateOptions) (T, error)
}

type typedObject interface {
	metav1.Object
	runtime.Object
}

// kindRun is one kind from its creation to its end, with an informer that follows.
type kindRun struct {
	resource schema.GroupVersionResource
	run      func(*program, informers.GenericInformer) error
}

// newKind makes a run of a typed client; change alters something of the object that is not in its metadata, status likewise for its status.
func newKind[T typedObject, L runtime.Object](resource schema.GroupVersionResource, client typedClient[T, L], object T, change, status func(T)) kindRun {
	return kindRun{resource, func(p *program, informer informers.GenericInformer) error {
		return exercise(p, informer, client, object, change, status)
	}}
}

// onlyProtobuf fails requests whose good answers come in another form.
type onlyProtobuf struct {
	inner   http.RoundTripper
	answers *atomic.Int64
}

func (t onlyProtobuf) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := t.inner.RoundTrip(request)
	if err != nil || response.StatusCode >= 300 {
		return response, err
	}
	if form := response.Header.Get("Content-Type"); !strings.HasPrefix(form, protobuf) {
		response.Body.Close()
		return nil, fmt.Errorf("%s %s is answered in %q", request.Method, request.URL.Path, form)
	}
	t.answers.Add(1)
	return response, nil
}

// useKinds takes every typed kind through its life in protobuf, with shared informers and their listers.
func useKinds(p *program) error {
	config := rest.CopyConfig(p.config)
	config.ContentType, config.AcceptContentTypes = protobuf, protobuf
	config.QPS, config.Burst = 200, 400
	config.WarningHandler = rest.NoWarnings{}
	answers := &atomic.Int64{}
	config.Wrap(func(inner http.RoundTripper) http.RoundTripper { return onlyProtobuf{inner, answers} })
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	// Pods need this account. A server with a service account controller has made it already.
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default"}}
	_, err = client.CoreV1().ServiceAccounts(p.namespace).Create(p.ctx, account, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	ctx, cancel := context.WithCancel(p.ctx)
	defer cancel()
	factory := informers.NewSharedInformerFactory(client, 0)
	runs := kindRuns(client, p.namespace)
	followers := make([]informers.GenericInformer, len(runs))
	for i, run := range runs {
		if followers[i], err = factory.ForResource(run.resource); err != nil {
			return err
		}
		followers[i].Informer()
	}
	factory.Start(ctx.Done())
	syncing, stop := context.WithTimeout(ctx, 15*time.Second)
	defer stop()
	for kind, synced := range factory.WaitForCacheSync(syncing.Done()) {
		if !synced {
			return fmt.Errorf("the informer of %v did not sync", kind)
		}
	}
	for i, run := range runs {
		if err := run.run(p, followers[i]); err != nil {
			return fmt.Errorf("%s: %w", run.resource, err)
		}
	}
	fmt.Printf("     %d kinds, %d answers in protobuf\n", len(runs), answers.Load())
	return nil
}

func exercise[T typedObject, L runtime.Object](p *program, informer informers.GenericInformer, client typedClient[T, L], object T, change, status func(T)) error {
	name := object.GetName()
	object.SetLabels(map[string]string{"typed": "yes"})
	created, err := client.Create(p.ctx, object, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if created.GetUID() == "" || created.GetResourceVersion() == "" {
		return errors.New("what was created has no uid or no revision")
	}
	if _, err := client.Create(p.ctx, object, metav1.CreateOptions{}); !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("a second create says %v", err)
	}
	list, err := client.List(p.ctx, metav1.ListOptions{LabelSelector: "typed=yes", FieldSelector: "metadata.name=" + name})
	if err != nil {
		return err
	}
	if err := want("the number of listed objects", meta.LenList(list), 1); err != nil {
		return err
	}
	watcher, err := client.Watch(p.ctx, metav1.ListOptions{LabelSelector: "typed=yes", ResourceVersion: created.GetResourceVersion()})
	if err != nil {
		return err
	}
	defer watcher.Stop()
	if err := follows(informer, created, func(T) bool { return true }); err != nil {
		return err
	}
	changed, err := write(p, client, created, change, status)
	if err != nil {
		return err
	}
	if err := follows(informer, changed, func(seen T) bool { return seen.GetAnnotations()["strategic"] == "yes" }); err != nil {
		return err
	}
	if err := remove(p, client, changed); err != nil {
		return err
	}
	if err := waitFor("the lister to forget", func() bool { _, err := listed(informer, changed); return apierrors.IsNotFound(err) }); err != nil {
		return err
	}
	return sawAll(watcher, name)
}

// write updates, loses a race, writes the status and patches in three ways.
func write[T typedObject, L any](p *program, client typedClient[T, L], created T, change, status func(T)) (T, error) {
	name := created.GetName()
	stale := created.DeepCopyObject().(T)
	if change != nil {
		change(created)
	}
	created.SetAnnotations(map[string]string{"updated": "yes"})
	updated, err := client.Update(p.ctx, created, metav1.UpdateOptions{})
	if err != nil {
		return updated, fmt.Errorf("update: %w", err)
	}
	if updated.GetResourceVersion() == stale.GetResourceVersion() {
		return updated, errors.New("the update changed nothing")
	}
	stale.SetAnnotations(map[string]string{"stale": "yes"})
	if _, err := client.Update(p.ctx, stale, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		return updated, fmt.Errorf("an update of an old revision says %v", err)
	}
	if status != nil {
		status(updated)
		writer, ok := any(client).(statusClient[T])
		if !ok {
			return updated, errors.New("the client cannot write a status")
		}
		if _, err = writer.UpdateStatus(p.ctx, updated, metav1.UpdateOptions{}); err != nil {
			return updated, fmt.Errorf("status: %w", err)
		}
	}
	patches := []struct {
		form types.PatchType
		body string
	}{
		{types.MergePatchType, `{"metadata":{"annotations":{"merged":"yes"}}}`},
		{types.JSONPatchType, `[{"op":"add","path":"/metadata/annotations/json","value":"yes"}]`},
		{types.StrategicMergePatchType, `{"metadata":{"annotations":{"strategic":"yes"}}}`},
	}
	var patched T
	for _, patch := range patches {
		if patched, err = client.Patch(p.ctx, name, patch.form, []byte(patch.body), metav1.PatchOptions{}); err != nil {
			return patched, fmt.Errorf("%s: %w", patch.form, err)
		}
	}
	got, err := client.Get(p.ctx, name, metav1.GetOptions{})
	if err != nil {
		return got, err
	}
	if len(got.GetAnnotations()) < 4 {
		return got, fmt.Errorf("the annotations are %v", got.GetAnnotations())
	}
	return got, want("the revision", got.GetResourceVersion(), patched.GetResourceVersion())
}

// remove deletes; finalizers of which a controller would take care go first.
func remove[T typedObject, L any](p *program, client typedClient[T, L], object T) error {
	name := object.GetName()
	if len(object.GetFinalizers()) > 0 {
		if _, err := client.Patch(p.ctx, name, types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{}); err != nil {
			return err
		}
	}
	wrong := types.UID("other")
	if err := client.Delete(p.ctx, name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &wrong}}); !apierrors.IsConflict(err) {
		return fmt.Errorf("a delete of another uid says %v", err)
	}
	background := metav1.DeletePropagationBackground
	if err := client.Delete(p.ctx, name, metav1.DeleteOptions{PropagationPolicy: &background}); err != nil {
		return err
	}
	if _, err := client.Get(p.ctx, name, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		return fmt.Errorf("a get after the delete says %v", err)
	}
	return nil
}

func listed(informer informers.GenericInformer, object metav1.Object) (runtime.Object, error) {
	if object.GetNamespace() == "" {
		return informer.Lister().Get(object.GetName())
	}
	return informer.Lister().ByNamespace(object.GetNamespace()).Get(object.GetName())
}

// follows waits until the lister has the object as it should be.
func follows[T typedObject](informer informers.GenericInformer, object T, holds func(T) bool) error {
	return waitFor("the lister to follow", func() bool {
		seen, err := listed(informer, object)
		if err != nil {
			return false
		}
		typed, ok := seen.(T)
		return ok && typed.GetUID() == object.GetUID() && holds(typed)
	})
}

func waitFor(what string, holds func() bool) error {
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if holds() {
			return nil
		}
	}
	return fmt.Errorf("10 seconds were not enough for %s", what)
}

// sawAll reads a watch until the object is gone, and expects changes before.
func sawAll(watcher watch.Interface, name string) error {
	modified := 0
	for {
		select {
		case event, open := <-watcher.ResultChan():
			if !open {
				return errors.New("the watch ended")
			}
			accessor, err := meta.Accessor(event.Object)
			if err != nil {
				return fmt.Errorf("the watch sent %v: %w", event.Type, err)
			}
			if accessor.GetName() != name {
				continue
			}
			switch event.Type {
			case watch.Modified:
				modified++
			case watch.Deleted:
				if modified < 4 {
					return fmt.Errorf("the watch told of %d changes", modified)
				}
				return nil
			}
		case <-time.After(10 * time.Second):
			return errors.New("the watch did not tell of the end")
		}
	}
}
