package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/kube-openapi/pkg/schemaconv"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/spec"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	smdschema "sigs.k8s.io/structured-merge-diff/v6/schema"
)

// The types by which objects merge: those of built-in kinds, and those of one definition of custom resources.
var (
	builtinModels = map[string]*spec.Schema{}
	builtinTypes  managedfields.TypeConverter
	customTypes   managedfields.TypeConverter
)

func managedFieldsReply(q question) (answer, bool) {
	switch q.Op {
	case "managed-types":
		return either(loadBuiltinTypes(strings.Split(q.Text, "\n"))), true
	case "managed-definition":
		return either(loadCustomTypes(q.Doc)), true
	case "managed-sequence":
		return either(runSequence(q.Doc)), true
	case "managed-scale":
		return either(runScale(q.Doc)), true
	}
	return answer{}, false
}

// loadBuiltinTypes reads OpenAPI documents and answers with the merge schema that a server makes of them.
func loadBuiltinTypes(paths []string) (any, error) {
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		document := spec3.OpenAPI{}
		if err := json.Unmarshal(text, &document); err != nil {
			return nil, err
		}
		for name, model := range document.Components.Schemas {
			builtinModels[name] = model
		}
	}
	var err error
	if builtinTypes, err = managedfields.NewTypeConverter(builtinModels, false); err != nil {
		return nil, err
	}
	return mergeSchema(builtinModels, false)
}

// loadCustomTypes does what the handler of custom resources does with a definition.
func loadCustomTypes(doc []byte) (any, error) {
	definition := &apiextensionsv1.CustomResourceDefinition{}
	if err := json.Unmarshal(doc, definition); err != nil {
		return nil, err
	}
	specs := []*spec3.OpenAPI{{Version: "3.0.0", Info: &spec.Info{}, Components: &spec3.Components{Schemas: builtinModels}}}
	for _, version := range definition.Spec.Versions {
		document, err := builder.BuildOpenAPIV3(definition, version.Name, builder.Options{})
		if err != nil {
			return nil, err
		}
		specs = append(specs, document)
	}
	merged, err := builder.MergeSpecsV3(specs...)
	if err != nil {
		return nil, err
	}
	if customTypes, err = managedfields.NewTypeConverter(merged.Components.Schemas, definition.Spec.PreserveUnknownFields); err != nil {
		return nil, err
	}
	return mergeSchema(merged.Components.Schemas, definition.Spec.PreserveUnknownFields)
}

// mergeSchema is the schema in JSON; kinds name the type of each group, version and kind.
func mergeSchema(models map[string]*spec.Schema, preserve bool) (any, error) {
	converted, err := schemaconv.ToSchemaFromOpenAPI(models, preserve)
	if err != nil {
		return nil, err
	}
	types, kinds := []any{}, []any{}
	for _, definition := range converted.Types {
		types = append(types, map[string]any{"name": definition.Name, "atom": atomOf(definition.Atom)})
	}
	for name, model := range models {
		list, _ := model.Extensions["x-kubernetes-group-version-kind"].([]any)
		for _, gvk := range list {
			kinds = append(kinds, map[string]any{"type": name, "kind": gvk})
		}
	}
	return map[string]any{"types": types, "kinds": kinds}, nil
}

func typeOf(ref smdschema.TypeRef) any {
	out := map[string]any{}
	if ref.NamedType != nil {
		out["named"] = *ref.NamedType
	} else if ref.Inlined != (smdschema.Atom{}) {
		out["inlined"] = atomOf(ref.Inlined)
	}
	if ref.ElementRelationship != nil {
		out["relationship"] = string(*ref.ElementRelationship)
	}
	return out
}

func atomOf(a smdschema.Atom) any {
	out := map[string]any{}
	if a.Scalar != nil {
		out["scalar"] = string(*a.Scalar)
	}
	if a.List != nil {
		out["list"] = map[string]any{
			"items": typeOf(a.List.ElementType), "relationship": string(a.List.ElementRelationship), "keys": a.List.Keys,
		}
	}
	if a.Map != nil {
		fields := []any{}
		for _, field := range a.Map.Fields {
			fields = append(fields, map[string]any{"name": field.Name, "type": typeOf(field.Type), "default": field.Default})
		}
		out["map"] = map[string]any{
			"fields": fields, "values": typeOf(a.Map.ElementType), "relationship": string(a.Map.ElementRelationship),
		}
	}
	return out
}

type sequence struct {
	Group string `json:"group"`
	Kind  string `json:"kind"`
	// Custom resources are unstructured; their versions differ in the name of one field.
	Custom bool   `json:"custom"`
	Steps  []step `json:"steps"`
}

type step struct {
	Op          string         `json:"op"`
	Version     string         `json:"version"`
	Subresource string         `json:"subresource"`
	Manager     string         `json:"manager"`
	Force       bool           `json:"force"`
	Object      map[string]any `json:"object"`
}

// runSequence applies and updates one object; the answer has the object or the failure after each step.
func runSequence(doc []byte) (any, error) {
	in := sequence{}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(doc, &in); err != nil {
		return nil, err
	}
	var live runtime.Object
	results := []any{}
	for i, step := range in.Steps {
		next, err := runStep(in, step, live)
		if err != nil {
			results = append(results, map[string]any{"error": failureOf(err)})
			continue
		}
		if in.Custom {
			version := schema.GroupVersion{Group: in.Group, Version: step.Version}
			if next, err = (customObjects{}).ConvertToVersion(next, version); err != nil {
				return nil, err
			}
		}
		if err := settle(next, i); err != nil {
			return nil, err
		}
		text, err := json.Marshal(next)
		if err != nil {
			return nil, err
		}
		if live, err = stored(in.Custom, next, text); err != nil {
			return nil, err
		}
		results = append(results, map[string]any{"object": json.RawMessage(text)})
	}
	return results, nil
}

// stored is the object as the next request reads it: typed ones lose the difference between empty and none.
func stored(custom bool, object runtime.Object, text []byte) (runtime.Object, error) {
	if custom {
		return object, nil
	}
	gvk := object.GetObjectKind().GroupVersionKind()
	read, err := clientscheme.Scheme.New(gvk)
	if err != nil {
		return nil, err
	}
	return read, json.Unmarshal(text, read)
}

func runStep(in sequence, s step, live runtime.Object) (runtime.Object, error) {
	gvk := schema.GroupVersionKind{Group: in.Group, Version: s.Version, Kind: in.Kind}
	manager, create, err := fieldManagerOf(in.Custom, gvk, s.Subresource)
	if err != nil {
		return nil, err
	}
	if live == nil {
		if live, err = create.New(gvk); err != nil {
			return nil, err
		}
	}
	given := &unstructured.Unstructured{Object: s.Object}
	if s.Op == "apply" {
		return manager.Apply(live, given, s.Manager, s.Force)
	}
	var next runtime.Object = given
	if !in.Custom {
		if next, err = create.New(gvk); err != nil {
			return nil, err
		}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(s.Object, next); err != nil {
			return nil, err
		}
	}
	updated, err := manager.Update(live, next, s.Manager)
	if err != nil {
		// As UpdateNoErrors, without its log.
		accessor, _ := meta.Accessor(next)
		accessor.SetManagedFields(nil)
		return next, nil
	}
	return updated, nil
}

func fieldManagerOf(custom bool, gvk schema.GroupVersionKind, subresource string) (*managedfields.FieldManager, runtime.ObjectCreater, error) {
	reset := "status"
	if subresource == "status" {
		reset = "spec"
	}
	filters := map[fieldpath.APIVersion]fieldpath.Filter{}
	for _, version := range []string{"v1", "v2", gvk.Version} {
		name := schema.GroupVersion{Group: gvk.Group, Version: version}.String()
		filters[fieldpath.APIVersion(name)] = fieldpath.NewExcludeSetFilter(fieldpath.NewSet(fieldpath.MakePathOrDie(reset)))
	}
	if custom {
		c := customObjects{}
		hub := schema.GroupVersion{Group: gvk.Group, Version: "v1"}
		manager, err := managedfields.NewDefaultCRDFieldManager(customTypes, c, c, c, gvk, hub, subresource, filters)
		return manager, c, err
	}
	scheme := clientscheme.Scheme
	manager, err := managedfields.NewDefaultFieldManager(builtinTypes, scheme, scheme, scheme, gvk, gvk.GroupVersion(), subresource, filters)
	return manager, scheme, err
}

// customObjects creates, converts and does not default custom resources. Version v1 has spec.size where v2 has spec.count.
type customObjects struct{}

func (customObjects) New(gvk schema.GroupVersionKind) (runtime.Object, error) {
	object := &unstructured.Unstructured{Object: map[string]any{}}
	object.SetGroupVersionKind(gvk)
	return object, nil
}

func (customObjects) Default(runtime.Object) {}

func (customObjects) Convert(in, out, context any) error { return errors.New("not needed") }

func (customObjects) ConvertFieldLabel(gvk schema.GroupVersionKind, label, value string) (string, string, error) {
	return "", "", errors.New("not needed")
}

func (customObjects) ConvertToVersion(in runtime.Object, target runtime.GroupVersioner) (runtime.Object, error) {
	version, ok := target.(schema.GroupVersion)
	if !ok {
		return nil, fmt.Errorf("no version in %T", target)
	}
	names := map[string]string{"v1": "size", "v2": "count"}
	to, known := names[version.Version]
	from := in.GetObjectKind().GroupVersionKind()
	if !known {
		return nil, runtime.NewNotRegisteredGVKErrForTarget("custom", from, version)
	}
	object := in.DeepCopyObject().(*unstructured.Unstructured)
	object.SetAPIVersion(version.String())
	if fields, ok := object.Object["spec"].(map[string]any); ok && from.Version != version.Version {
		if value, ok := fields[names[from.Version]]; ok {
			delete(fields, names[from.Version])
			fields[to] = value
		}
	}
	return object, nil
}

// settle does what a server does to what it stores, and replaces the time of this run by one of the step.
func settle(object runtime.Object, step int) error {
	accessor, err := meta.Accessor(object)
	if err != nil {
		return err
	}
	accessor.SetUID("u")
	entries := accessor.GetManagedFields()
	for i := range entries {
		if entries[i].Time != nil && entries[i].Time.Year() > 2020 {
			entries[i].Time = &metav1.Time{Time: time.Unix(1_000_000_000+int64(step), 0).UTC()}
		}
	}
	accessor.SetManagedFields(entries)
	return nil
}

func failureOf(err error) any {
	if status, ok := err.(apierrors.APIStatus); ok {
		s := status.Status()
		causes := []any{}
		if s.Details != nil {
			for _, cause := range s.Details.Causes {
				causes = append(causes, fmt.Sprintf("%s %s %s", cause.Type, cause.Message, cause.Field))
			}
		}
		return map[string]any{"code": s.Code, "message": s.Message, "causes": causes}
	}
	return map[string]any{"code": 500, "message": err.Error()}
}

type scaleInput struct {
	Parent  []metav1.ManagedFieldsEntry `json:"parent"`
	Scale   []metav1.ManagedFieldsEntry `json:"scale"`
	Version string                      `json:"version"`
	// Null for a version without a scale subresource.
	Paths map[string][]string `json:"paths"`
}

func runScale(doc []byte) (any, error) {
	in := scaleInput{}
	if err := json.Unmarshal(doc, &in); err != nil {
		return nil, err
	}
	mappings := managedfields.ResourcePathMappings{}
	for version, names := range in.Paths {
		mappings[version] = nil
		if names == nil {
			continue
		}
		path := fieldpath.Path{}
		for _, name := range names {
			path = append(path, fieldpath.FieldNameElement(name))
		}
		mappings[version] = path
	}
	version, err := schema.ParseGroupVersion(in.Version)
	if err != nil {
		return nil, err
	}
	handler := managedfields.NewScaleHandler(in.Parent, version, mappings)
	scale, err := handler.ToSubresource()
	if err != nil {
		return nil, err
	}
	parent, err := handler.ToParent(in.Scale)
	if err != nil {
		return nil, err
	}
	return map[string]any{"scale": scale, "parent": parent}, nil
}
