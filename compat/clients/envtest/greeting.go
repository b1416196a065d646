// Package envtest has a small operator and its tests, which run on the servers that controller-runtime's envtest
// starts.
package envtest

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

const finalizer = "example.com/cleanup"

var greetingKind = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Greeting"}

func newGreeting() *unstructured.Unstructured {
	greeting := &unstructured.Unstructured{}
	greeting.SetGroupVersionKind(greetingKind)
	return greeting
}

// reconciler keeps a ConfigMap with the text of each Greeting, and removes it before the Greeting goes.
type reconciler struct{ client client.Client }

func (r *reconciler) setup(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(newGreeting()).Owns(&corev1.ConfigMap{}).Complete(r)
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	greeting := newGreeting()
	if err := r.client.Get(ctx, request.NamespacedName, greeting); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	copied := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: request.Name, Namespace: request.Namespace}}
	if greeting.GetDeletionTimestamp() != nil {
		if err := r.client.Delete(ctx, copied); err != nil && !apierrors.IsNotFound(err) {
			return ctrl.Result{}, err
		}
		if controllerutil.RemoveFinalizer(greeting, finalizer) {
			return ctrl.Result{}, r.client.Update(ctx, greeting)
		}
		return ctrl.Result{}, nil
	}
	if controllerutil.AddFinalizer(greeting, finalizer) {
		return ctrl.Result{}, r.client.Update(ctx, greeting)
	}
	text, _, err := unstructured.NestedString(greeting.Object, "spec", "text")
	if err != nil {
		return ctrl.Result{}, err
	}
	if _, err := controllerutil.CreateOrUpdate(ctx, r.client, copied, func() error {
		copied.Data = map[string]string{"text": text}
		return controllerutil.SetControllerReference(greeting, copied, r.client.Scheme())
	}); err != nil {
		return ctrl.Result{}, err
	}
	before := greeting.DeepCopy()
	if err := unstructured.SetNestedField(greeting.Object, text, "status", "observed"); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.client.Status().Patch(ctx, greeting, client.MergeFrom(before))
}
