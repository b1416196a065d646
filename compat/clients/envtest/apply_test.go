package envtest

import (
	"context"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	coreapply "k8s.io/client-go/applyconfigurations/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// managers returns the entries of managedFields as `manager operation/subresource`, sorted: in the object they are
// ordered by time.
func managers(object metav1.Object) []string {
	var names []string
	for _, entry := range object.GetManagedFields() {
		names = append(names, entry.Manager+" "+string(entry.Operation)+"/"+entry.Subresource)
	}
	slices.Sort(names)
	return names
}

func wantManagers(t *testing.T, object metav1.Object, want ...string) {
	t.Helper()
	if got := managers(object); !slices.Equal(got, want) {
		t.Fatalf("managers %q instead of %q", got, want)
	}
}

// TestApply uses Client.Apply and the older Patch with client.Apply on built-in and custom kinds.
func TestApply(t *testing.T) {
	_, config := start(t)
	c := newClient(t, config)
	namespace := newNamespace(t, c)
	ctx := t.Context()
	first, second := client.FieldOwner("first"), client.FieldOwner("second")

	applied := func(text string) *coreapply.ConfigMapApplyConfiguration {
		return coreapply.ConfigMap("applied", namespace).WithData(map[string]string{"text": text})
	}
	made := applied("ahoy")
	if err := c.Apply(ctx, made, first); err != nil {
		t.Fatal(err)
	}
	if made.UID == nil || *made.UID == "" {
		t.Error("the configuration is not filled in with the answer")
	}
	if err := c.Apply(ctx, applied("farewell"), second); !apierrors.IsConflict(err) ||
		!apierrors.HasStatusCause(err, metav1.CauseTypeFieldManagerConflict) {
		t.Errorf("a conflict: %v", err)
	}
	if err := c.Apply(ctx, applied("farewell"), second, client.ForceOwnership); err != nil {
		t.Fatal(err)
	}
	stored := &corev1.ConfigMap{}
	key := client.ObjectKey{Namespace: namespace, Name: "applied"}
	if err := c.Get(ctx, key, stored); err != nil || stored.Data["text"] != "farewell" {
		t.Fatalf("the ConfigMap: %v, %v", stored.Data, err)
	}
	wantManagers(t, stored, "second Apply/")

	// The older way: a whole object without managedFields.
	older := &corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Name: "applied", Namespace: namespace},
		Data:       map[string]string{"more": "yes"},
	}
	if err := c.Patch(ctx, older, client.Apply, first); err != nil {
		t.Fatal(err)
	}
	if len(older.Data) != 2 {
		t.Errorf("the ConfigMap of the answer: %v", older.Data)
	}
	wantManagers(t, older, "first Apply/", "second Apply/")

	greeting := greetingOf(namespace, "hello", "ahoy")
	if err := c.Apply(ctx, client.ApplyConfigurationFromUnstructured(greeting), first); err != nil {
		t.Fatal(err)
	}
	status := newGreeting()
	status.SetNamespace(namespace)
	status.SetName("hello")
	status.Object["status"] = map[string]any{"observed": "ahoy"}
	if err := c.Status().Apply(ctx, client.ApplyConfigurationFromUnstructured(status), second); err != nil {
		t.Fatal(err)
	}
	if err := c.Get(ctx, client.ObjectKeyFromObject(greeting), greeting); err != nil {
		t.Fatal(err)
	}
	wantManagers(t, greeting, "first Apply/", "second Apply/status")
	short := greetingOf(namespace, "hello", "")
	if err := c.Apply(ctx, client.ApplyConfigurationFromUnstructured(short), first); !apierrors.IsInvalid(err) {
		t.Errorf("a text that is too short: %v", err)
	}
}

// applier is a reconciler that only applies: it reads a Greeting, and owns a ConfigMap and the status.
type applier struct{ client client.Client }

func (a *applier) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	greeting := newGreeting()
	if err := a.client.Get(ctx, request.NamespacedName, greeting); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	text, _, err := unstructured.NestedString(greeting.Object, "spec", "text")
	if err != nil {
		return ctrl.Result{}, err
	}
	owner, force := client.FieldOwner("greetings"), client.ForceOwnership
	copied := coreapply.ConfigMap(request.Name, request.Namespace).WithData(map[string]string{"text": text})
	if err := a.client.Apply(ctx, copied, owner, force); err != nil {
		return ctrl.Result{}, err
	}
	status := newGreeting()
	status.SetNamespace(request.Namespace)
	status.SetName(request.Name)
	status.Object["status"] = map[string]any{"observed": text}
	return ctrl.Result{}, a.client.Status().Apply(ctx, client.ApplyConfigurationFromUnstructured(status), owner, force)
}

// TestApplyingReconciler runs a reconciler that applies on each event. An apply that changes nothing writes nothing, so
// the reconciler does not cause events for itself forever.
func TestApplyingReconciler(t *testing.T) {
	_, config := start(t)
	c := newClient(t, config)
	namespace := newNamespace(t, c)
	manager, err := ctrl.NewManager(config, ctrl.Options{Metrics: metricsserver.Options{BindAddress: "0"}})
	if err != nil {
		t.Fatal(err)
	}
	built := ctrl.NewControllerManagedBy(manager).Named("applier").For(newGreeting()).Owns(&corev1.ConfigMap{})
	if err := built.Complete(&applier{client: manager.GetClient()}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- manager.Start(ctx) }()
	defer func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("manager: %v", err)
		}
	}()

	greeting := greetingOf(namespace, "hello", "ahoy")
	if err := c.Create(ctx, greeting, client.FieldOwner("person")); err != nil {
		t.Fatal(err)
	}
	key := client.ObjectKeyFromObject(greeting)
	observed := func(text string) func(ctx context.Context) (bool, error) {
		return func(ctx context.Context) (bool, error) {
			if err := c.Get(ctx, key, greeting); err != nil {
				return false, err
			}
			found, _, err := unstructured.NestedString(greeting.Object, "status", "observed")
			return found == text, err
		}
	}
	eventually(t, "the status of the Greeting", observed("ahoy"))
	wantManagers(t, greeting, "greetings Apply/status", "person Update/")
	copied := &corev1.ConfigMap{}
	if err := c.Get(ctx, key, copied); err != nil {
		t.Fatal(err)
	}
	wantManagers(t, copied, "greetings Apply/")
	revision := copied.ResourceVersion

	patch := client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"text":"hi"}}`))
	if err := c.Patch(ctx, greeting, patch, client.FieldOwner("person")); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the status after the change", observed("hi"))
	if err := c.Get(ctx, key, copied); err != nil || copied.Data["text"] != "hi" || copied.ResourceVersion == revision {
		t.Fatalf("the ConfigMap: %v, %v", copied.Data, err)
	}
	status := newGreeting()
	status.SetNamespace(namespace)
	status.SetName("hello")
	status.Object["status"] = map[string]any{"observed": "hi"}
	again := client.ApplyConfigurationFromUnstructured(status)
	before := greeting.GetResourceVersion()
	if err := c.Status().Apply(ctx, again, client.FieldOwner("greetings")); err != nil {
		t.Fatal(err)
	}
	if err := c.Get(ctx, key, greeting); err != nil || greeting.GetResourceVersion() != before {
		t.Errorf("an apply that changes nothing writes revision %s over %s: %v", greeting.GetResourceVersion(), before, err)
	}
}
