package envtest

import (
	"context"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const patience = 20 * time.Second

func TestMain(m *testing.M) {
	log.SetLogger(logr.Discard())
	os.Exit(m.Run())
}

// start starts a server with the CRDs of this folder, and stops it at the end of the test.
func start(t *testing.T) (*envtest.Environment, *rest.Config) {
	t.Helper()
	env := &envtest.Environment{CRDDirectoryPaths: []string{"crds"}, ErrorIfCRDPathMissing: true}
	began := time.Now()
	config, err := env.Start()
	if err != nil {
		t.Fatalf("start: %v", err)
	}
	t.Logf("started with its definitions in %v", time.Since(began).Round(time.Millisecond))
	t.Cleanup(func() {
		began := time.Now()
		if err := env.Stop(); err != nil {
			t.Errorf("stop: %v", err)
		}
		t.Logf("stopped in %v", time.Since(began).Round(time.Millisecond))
		if connection, err := net.Dial("tcp", env.ControlPlane.APIServer.SecureServing.HostPort()); err == nil {
			connection.Close()
			t.Error("the server still listens after Stop")
		}
	})
	return env, config
}

func newClient(t *testing.T, config *rest.Config) client.WithWatch {
	t.Helper()
	made, err := client.NewWithWatch(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func newNamespace(t *testing.T, c client.Client) string {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "envtest-"}}
	if err := c.Create(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	return namespace.Name
}

func greetingOf(namespace, name, text string) *unstructured.Unstructured {
	greeting := newGreeting()
	greeting.SetNamespace(namespace)
	greeting.SetName(name)
	greeting.Object["spec"] = map[string]any{"text": text}
	return greeting
}

func eventually(t *testing.T, what string, check func(ctx context.Context) (bool, error)) {
	t.Helper()
	if err := wait.PollUntilContextTimeout(t.Context(), 20*time.Millisecond, patience, true, check); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

func TestObjectsAndWatches(t *testing.T) {
	_, config := start(t)
	c := newClient(t, config)
	namespace := newNamespace(t, c)

	greetings := &unstructured.UnstructuredList{}
	greetings.SetGroupVersionKind(greetingKind.GroupVersion().WithKind("GreetingList"))
	events, err := c.Watch(t.Context(), greetings, client.InNamespace(namespace))
	if err != nil {
		t.Fatal(err)
	}
	defer events.Stop()

	greeting := greetingOf(namespace, "hello", "ahoy")
	if err := c.Create(t.Context(), greeting); err != nil {
		t.Fatal(err)
	}
	if times, _, _ := unstructured.NestedInt64(greeting.Object, "spec", "times"); times != 1 {
		t.Errorf("spec.times is %d, and its default is 1", times)
	}
	if err := c.Create(t.Context(), greetingOf(namespace, "empty", "")); !apierrors.IsInvalid(err) {
		t.Errorf("a text that is too short: %v", err)
	}
	patch := client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"text":"farewell"}}`))
	if err := c.Patch(t.Context(), greeting, patch); err != nil {
		t.Fatal(err)
	}
	if err := c.Delete(t.Context(), greeting); err != nil {
		t.Fatal(err)
	}
	for _, want := range []watch.EventType{watch.Added, watch.Modified, watch.Deleted} {
		select {
		case event := <-events.ResultChan():
			if event.Type != want {
				t.Fatalf("event %s instead of %s", event.Type, want)
			}
		case <-time.After(patience):
			t.Fatalf("no event %s", want)
		}
	}

	// envtest disables the ServiceAccount plugin, so a Pod needs no ServiceAccount.
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: namespace},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "nginx"}}},
	}
	if err := c.Create(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
	pod.Status.Phase = corev1.PodRunning
	if err := c.Status().Update(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
	if pod.Status.Phase != corev1.PodRunning {
		t.Errorf("phase %q", pod.Status.Phase)
	}
}

func TestManager(t *testing.T) {
	_, config := start(t)
	c := newClient(t, config)
	namespace := newNamespace(t, c)
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Metrics:                 metricsserver.Options{BindAddress: "0"},
		LeaderElection:          true,
		LeaderElectionID:        "greetings",
		LeaderElectionNamespace: namespace,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := (&reconciler{client: manager.GetClient()}).setup(manager); err != nil {
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
	if err := c.Create(ctx, greeting); err != nil {
		t.Fatal(err)
	}
	key := client.ObjectKeyFromObject(greeting)
	eventually(t, "the status of the Greeting", func(ctx context.Context) (bool, error) {
		if err := c.Get(ctx, key, greeting); err != nil {
			return false, err
		}
		observed, _, err := unstructured.NestedString(greeting.Object, "status", "observed")
		return observed == "ahoy", err
	})
	copied := &corev1.ConfigMap{}
	if err := c.Get(ctx, key, copied); err != nil || copied.Data["text"] != "ahoy" {
		t.Fatalf("the ConfigMap: %v, %v", copied.Data, err)
	}
	if !metav1.IsControlledBy(copied, greeting) {
		t.Error("the Greeting is not the controller of its ConfigMap")
	}

	// The informer of the ConfigMaps brings a deleted one back.
	uid := copied.UID
	if err := c.Delete(ctx, copied); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the ConfigMap after its deletion", func(ctx context.Context) (bool, error) {
		err := c.Get(ctx, key, copied)
		return err == nil && copied.UID != uid, client.IgnoreNotFound(err)
	})

	if err := c.Delete(ctx, greeting); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the end of the Greeting", func(ctx context.Context) (bool, error) {
		err := c.Get(ctx, key, greeting)
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	})
	if err := c.Get(ctx, key, copied); !apierrors.IsNotFound(err) {
		t.Errorf("the ConfigMap is still there: %v", err)
	}
}

func TestUsersAndKubectl(t *testing.T) {
	env, config := start(t)
	namespace := newNamespace(t, newClient(t, config))
	user, err := env.AddUser(envtest.User{Name: "jane", Groups: []string{"developers"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	jane := newClient(t, user.Config())
	if err := jane.List(t.Context(), &corev1.ConfigMapList{}, client.InNamespace(namespace)); !apierrors.IsForbidden(err) {
		t.Errorf("jane lists ConfigMaps without a role: %v", err)
	}
	kubectl, err := user.Kubectl()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(env.ControlPlane.KubectlPath); err != nil {
		t.Fatalf("kubectl: %v", err)
	}
	stdout, stderr, err := kubectl.Run("auth", "whoami", "-o", "jsonpath={.status.userInfo.username}")
	if name, _ := io.ReadAll(stdout); err != nil || strings.TrimSpace(string(name)) != "jane" {
		text, _ := io.ReadAll(stderr)
		t.Errorf("kubectl auth whoami: %q, %v, %s", name, err, text)
	}
}

// TestTwoServers runs two servers from one working folder at the same time. They share nothing.
func TestTwoServers(t *testing.T) {
	_, first := start(t)
	_, second := start(t)
	namespace := newNamespace(t, newClient(t, first))
	err := newClient(t, second).Get(t.Context(), client.ObjectKey{Name: namespace}, &corev1.Namespace{})
	if !apierrors.IsNotFound(err) {
		t.Errorf("a namespace of the first server in the second: %v", err)
	}
}

// TestCleanUp removes the definitions at Stop, as projects do that share a server.
func TestCleanUp(t *testing.T) {
	env := &envtest.Environment{CRDInstallOptions: envtest.CRDInstallOptions{
		Paths: []string{"crds"}, CleanUpAfterUse: true,
	}}
	config, err := env.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := env.Stop(); err != nil {
			t.Errorf("stop: %v", err)
		}
	}()
	c := newClient(t, config)
	if err := c.Create(t.Context(), greetingOf("default", "hello", "ahoy")); err != nil {
		t.Fatal(err)
	}
	if err := envtest.UninstallCRDs(config, env.CRDInstallOptions); err != nil {
		t.Fatal(err)
	}
	definition := &unstructured.Unstructured{}
	definition.SetGroupVersionKind(schema.GroupVersionKind{
		Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition",
	})
	eventually(t, "the end of the definition", func(ctx context.Context) (bool, error) {
		err := c.Get(ctx, client.ObjectKey{Name: "greetings.example.com"}, definition)
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	})
}
