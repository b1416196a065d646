package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// webhook converts between v1 (spec.hostPort) and v2 (spec.host, spec.port).
type webhook struct {
	url   string
	ca    []byte
	calls atomic.Int64
	// The apiVersion of the last review.
	review atomic.Value
	// While set, every review is refused with this message.
	refusal atomic.Value
}

func startWebhook() (*webhook, func(), error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "conversion"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, nil, err
	}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}})
	if err != nil {
		return nil, nil, err
	}
	hook := &webhook{
		url: fmt.Sprintf("https://%s/convert", listener.Addr()),
		ca:  pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
	}
	hook.review.Store("")
	hook.refusal.Store("")
	server := &http.Server{Handler: hook}
	go func() { _ = server.Serve(listener) }()
	return hook, func() { _ = server.Close() }, nil
}

func (w *webhook) ServeHTTP(writer http.ResponseWriter, request *http.Request) {
	review := apiextensionsv1.ConversionReview{}
	if err := json.NewDecoder(request.Body).Decode(&review); err != nil || review.Request == nil {
		http.Error(writer, "no review", http.StatusBadRequest)
		return
	}
	w.calls.Add(1)
	w.review.Store(review.APIVersion)
	review.Response = &apiextensionsv1.ConversionResponse{UID: review.Request.UID, Result: metav1.Status{Status: metav1.StatusSuccess}}
	if message := w.refusal.Load().(string); message != "" {
		review.Response.Result = metav1.Status{Status: metav1.StatusFailure, Message: message}
	} else {
		for _, raw := range review.Request.Objects {
			one := &unstructured.Unstructured{}
			if err := one.UnmarshalJSON(raw.Raw); err != nil {
				http.Error(writer, err.Error(), http.StatusBadRequest)
				return
			}
			convert(one, review.Request.DesiredAPIVersion)
			review.Response.ConvertedObjects = append(review.Response.ConvertedObjects, runtime.RawExtension{Object: one})
		}
	}
	review.Request = nil
	writer.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(writer).Encode(review)
}

func convert(one *unstructured.Unstructured, apiVersion string) {
	if one.GetAPIVersion() == apiVersion {
		return
	}
	one.SetAPIVersion(apiVersion)
	spec, _, _ := unstructured.NestedMap(one.Object, "spec")
	if strings.HasSuffix(apiVersion, "/v2") {
		host, port, _ := strings.Cut(fmt.Sprint(spec["hostPort"]), ":")
		spec["host"], spec["port"] = host, port
		delete(spec, "hostPort")
	} else {
		spec["hostPort"] = fmt.Sprintf("%v:%v", spec["host"], spec["port"])
		delete(spec, "host")
		delete(spec, "port")
	}
	_ = unstructured.SetNestedMap(one.Object, spec, "spec")
	labels := one.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels["converted"] = "yes"
	one.SetLabels(labels)
	// Not the webhook's to change: the server puts it back.
	one.SetGeneration(77)
}

func convertByWebhook(p *program) error { return p.converted("hooked", "v1") }

func convertByOldWebhook(p *program) error { return p.converted("oldhooked", "v1beta1") }

func (p *program) converted(plural, review string) error {
	hook, stop, err := startWebhook()
	if err != nil {
		return err
	}
	defer stop()
	clients, err := p.definitions("application/json")
	if err != nil {
		return err
	}
	crd := definition(plural, version("v1", true), version("v2", false))
	crd.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{
		Strategy: apiextensionsv1.WebhookConverter,
		Webhook: &apiextensionsv1.WebhookConversion{
			ClientConfig:             &apiextensionsv1.WebhookClientConfig{URL: &hook.url, CABundle: hook.ca},
			ConversionReviewVersions: []string{"v9", review},
		},
	}
	definitions := clients.ApiextensionsV1().CustomResourceDefinitions()
	if _, err = definitions.Create(p.ctx, crd, metav1.CreateOptions{}); err != nil {
		return err
	}
	for _, version := range []string{"v1", "v2"} {
		if err = p.served(resourceOf(plural, version)); err != nil {
			return err
		}
	}
	v1 := p.dynamic.Resource(resourceOf(plural, "v1")).Namespace(p.namespace)
	v2 := p.dynamic.Resource(resourceOf(plural, "v2")).Namespace(p.namespace)
	for _, name := range []string{"a", "b", "c"} {
		if _, err = v1.Create(p.ctx, thing(plural, "v1", name, map[string]any{"hostPort": name + ":80"}), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	// The reference converts when fields get their managers.
	if calls := hook.calls.Load(); p.isExact && calls > 0 {
		return fmt.Errorf("%d reviews for a version that nobody asked for", calls)
	}
	one, err := v2.Get(p.ctx, "a", metav1.GetOptions{})
	if err != nil {
		return err
	}
	if err = want("the object in v2", fmt.Sprint(one.Object["spec"], one.GetLabels(), one.GetGeneration()), "map[host:a port:80] map[converted:yes] 1"); err != nil {
		return err
	}
	if err = want("the version of reviews", hook.review.Load(), any("apiextensions.k8s.io/"+review)); err != nil {
		return err
	}
	list, err := v2.List(p.ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	if err = want("the number of objects", len(list.Items), 3); err != nil {
		return err
	}
	// Nobody has asked for this one in v2, so nobody can know it without the webhook.
	if _, err = v1.Create(p.ctx, thing(plural, "v1", "unknown", map[string]any{"hostPort": "x:1"}), metav1.CreateOptions{}); err != nil {
		return err
	}
	hook.refusal.Store("no ships today")
	if _, err = v2.Get(p.ctx, "unknown", metav1.GetOptions{}); err == nil || !strings.Contains(err.Error(), "no ships today") {
		return fmt.Errorf("a refused conversion says %v", err)
	}
	if _, err = v1.Get(p.ctx, "unknown", metav1.GetOptions{}); err != nil {
		return err
	}
	hook.refusal.Store("")
	_ = unstructured.SetNestedField(one.Object, "8080", "spec", "port")
	if _, err = v2.Update(p.ctx, one, metav1.UpdateOptions{}); err != nil {
		return err
	}
	if one, err = v1.Get(p.ctx, "a", metav1.GetOptions{}); err != nil {
		return err
	}
	if err = want("the object in v1", fmt.Sprint(one.Object["spec"]), "map[hostPort:a:8080]"); err != nil {
		return err
	}
	watcher, err := v2.Watch(p.ctx, metav1.ListOptions{ResourceVersion: list.GetResourceVersion()})
	if err != nil {
		return err
	}
	defer watcher.Stop()
	for _, wanted := range []string{"ADDED map[host:x port:1]", "MODIFIED map[host:a port:8080]"} {
		event, open := <-watcher.ResultChan()
		if !open {
			return errors.New("the watch ended")
		}
		watched, ok := event.Object.(*unstructured.Unstructured)
		if !ok {
			return fmt.Errorf("the watch told of %v", event.Object)
		}
		if err = want("the event", fmt.Sprintf("%s %v", event.Type, watched.Object["spec"]), wanted); err != nil {
			return err
		}
	}
	if err = v2.Delete(p.ctx, "b", metav1.DeleteOptions{}); err != nil {
		return err
	}
	return definitions.Delete(p.ctx, crd.Name, metav1.DeleteOptions{})
}
