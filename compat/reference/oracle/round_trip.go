package main

import (
	"bytes"
	"reflect"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubejson "k8s.io/apimachinery/pkg/runtime/serializer/json"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
)

var knownTypes = newScheme()

func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		corev1.AddToScheme, appsv1.AddToScheme, authenticationv1.AddToScheme, authorizationv1.AddToScheme,
		autoscalingv1.AddToScheme, coordinationv1.AddToScheme, eventsv1.AddToScheme, rbacv1.AddToScheme,
	} {
		utilruntime.Must(add(scheme))
	}
	return scheme
}

func parseKind(kind string) schema.GroupVersionKind {
	parts := strings.Split(kind, "/")
	return schema.GroupVersionKind{Group: parts[0], Version: parts[1], Kind: parts[2]}
}

func newKnown(kind string) binary {
	object, err := knownTypes.New(parseKind(kind))
	utilruntime.Must(err)
	return object.(binary)
}

// roundTrip decodes into the Go type of `group/version/Kind` and encodes again; `stored` goes through the binary form in between. The
// answer is the text, because the order of fields counts.
func roundTrip(kind string, stored bool, doc []byte) answer {
	gvk := parseKind(kind)
	serializer := kubejson.NewSerializerWithOptions(kubejson.DefaultMetaFactory, knownTypes, knownTypes, kubejson.SerializerOptions{})
	object, _, err := serializer.Decode(doc, &gvk, nil)
	if err != nil {
		return bad(err)
	}
	if stored {
		if object, err = throughBinary(object); err != nil {
			return bad(err)
		}
	}
	var out bytes.Buffer
	if err := serializer.Encode(object, &out); err != nil {
		return bad(err)
	}
	return good(strings.TrimSuffix(out.String(), "\n"))
}

// throughBinary keeps the type fields, which the envelope carries.
func throughBinary(object runtime.Object) (runtime.Object, error) {
	data, err := object.(binary).Marshal()
	if err != nil {
		return nil, err
	}
	back := reflect.New(reflect.TypeOf(object).Elem()).Interface().(runtime.Object)
	if err := back.(binary).Unmarshal(data); err != nil {
		return nil, err
	}
	back.GetObjectKind().SetGroupVersionKind(object.GetObjectKind().GroupVersionKind())
	return back, nil
}
