package envtest

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

var shipGroup = schema.GroupVersion{Group: "ships.example.com", Version: "v1"}

func shipOf(version, namespace, name string) *unstructured.Unstructured {
	ship := &unstructured.Unstructured{}
	ship.SetGroupVersionKind(shipGroup.WithKind("Ship"))
	ship.SetAPIVersion(shipGroup.Group + "/" + version)
	ship.SetNamespace(namespace)
	ship.SetName(name)
	return ship
}

// convert answers a review. A label tells that it was asked.
func convert(writer http.ResponseWriter, request *http.Request) {
	review := apiextensionsv1.ConversionReview{}
	if err := json.NewDecoder(request.Body).Decode(&review); err != nil || review.Request == nil {
		http.Error(writer, "no review", http.StatusBadRequest)
		return
	}
	review.Response = &apiextensionsv1.ConversionResponse{UID: review.Request.UID, Result: metav1.Status{Status: metav1.StatusSuccess}}
	for _, raw := range review.Request.Objects {
		ship := &unstructured.Unstructured{}
		if err := ship.UnmarshalJSON(raw.Raw); err != nil {
			http.Error(writer, err.Error(), http.StatusBadRequest)
			return
		}
		ship.SetAPIVersion(review.Request.DesiredAPIVersion)
		ship.SetLabels(map[string]string{"converted": "yes"})
		review.Response.ConvertedObjects = append(review.Response.ConvertedObjects, runtime.RawExtension{Object: ship})
	}
	review.Request = nil
	writer.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(writer).Encode(review)
}

// serveWebhook serves with the certificate that envtest has made, which is valid for 127.0.0.1.
func serveWebhook(t *testing.T, options *envtest.WebhookInstallOptions, host string) string {
	t.Helper()
	folder := options.LocalServingCertDir
	pair, err := tls.LoadX509KeyPair(filepath.Join(folder, "tls.crt"), filepath.Join(folder, "tls.key"))
	if err != nil {
		t.Fatal(err)
	}
	address := net.JoinHostPort(host, fmt.Sprint(options.LocalServingPort))
	listener, err := tls.Listen("tcp", address, &tls.Config{Certificates: []tls.Certificate{pair}})
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(convert), ErrorLog: log.New(io.Discard, "", 0)}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return "https://" + address + "/convert"
}

func ships(url string, caBundle []byte) *apiextensionsv1.CustomResourceDefinition {
	version := func(name string, isStored bool) apiextensionsv1.CustomResourceDefinitionVersion {
		return apiextensionsv1.CustomResourceDefinitionVersion{
			Name: name, Served: true, Storage: isStored,
			Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object"}},
		}
	}
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "ships." + shipGroup.Group},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group:    shipGroup.Group,
			Scope:    apiextensionsv1.NamespaceScoped,
			Names:    apiextensionsv1.CustomResourceDefinitionNames{Plural: "ships", Singular: "ship", Kind: "Ship"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{version("v1", true), version("v2", false)},
			Conversion: &apiextensionsv1.CustomResourceConversion{
				Strategy: apiextensionsv1.WebhookConverter,
				Webhook: &apiextensionsv1.WebhookConversion{
					ClientConfig:             &apiextensionsv1.WebhookClientConfig{URL: &url, CABundle: caBundle},
					ConversionReviewVersions: []string{"v1"},
				},
			},
		},
	}
}

// otherAuthority returns an authority that has issued nothing.
func otherAuthority(t *testing.T) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "other"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// The CA bundle that envtest makes is the serving certificate itself.
func TestConversionWebhook(t *testing.T) {
	_, config := start(t)
	options := &envtest.WebhookInstallOptions{}
	if err := options.PrepWithoutInstalling(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = options.Cleanup() })
	url := serveWebhook(t, options, options.LocalServingHost)
	definition := ships(url, options.LocalServingCAData)
	crds := []*apiextensionsv1.CustomResourceDefinition{definition}
	if _, err := envtest.InstallCRDs(config, envtest.CRDInstallOptions{CRDs: crds}); err != nil {
		t.Fatal(err)
	}
	c := newClient(t, config)
	namespace := newNamespace(t, c)
	if err := c.Create(t.Context(), shipOf("v1", namespace, "a")); err != nil {
		t.Fatal(err)
	}
	converted := shipOf("v2", namespace, "a")
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(converted), converted); err != nil {
		t.Fatalf("the object in v2: %v", err)
	}
	if converted.GetLabels()["converted"] != "yes" {
		t.Fatalf("the object in v2 has the labels %v", converted.GetLabels())
	}

	refusals := []struct {
		name, url, message string
		caBundle           []byte
	}{
		{"another authority", url, "x509: certificate signed by unknown authority", otherAuthority(t)},
		{"no bundle", url, "x509: certificate signed by unknown authority", nil},
		{
			"another host", serveWebhook(t, options, "127.0.0.2"),
			"x509: certificate is valid for 127.0.0.1, not 127.0.0.2", options.LocalServingCAData,
		},
	}
	for i, refusal := range refusals {
		changed := ships(refusal.url, refusal.caBundle)
		if _, err := envtest.InstallCRDs(config, envtest.CRDInstallOptions{CRDs: []*apiextensionsv1.CustomResourceDefinition{changed}}); err != nil {
			t.Fatalf("%s: %v", refusal.name, err)
		}
		name := fmt.Sprintf("refused-%d", i)
		if err := c.Create(t.Context(), shipOf("v1", namespace, name)); err != nil {
			t.Fatalf("%s: %v", refusal.name, err)
		}
		refused := shipOf("v2", namespace, name)
		// The server may take a moment to use the new definition.
		eventually(t, refusal.name, func(ctx context.Context) (bool, error) {
			err := c.Get(ctx, client.ObjectKeyFromObject(refused), refused)
			return err != nil && strings.Contains(err.Error(), `conversion webhook for ships.example.com/v1, Kind=Ship failed: Post "`+refusal.url+`?timeout=30s": tls: failed to verify certificate: `+refusal.message), nil
		})
	}
}
