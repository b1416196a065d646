package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kubernetes/pkg/generated/openapi"
)

// structFacts is one struct; fields are printed already.
type structFacts struct {
	name    string
	head    string
	fields  []string
	members []member
}

// book holds each struct that was reached, once.
type book struct {
	definitions map[string]common.OpenAPIDefinition
	structs     map[reflect.Type]*structFacts
}

func newBook() *book {
	ref := func(name string) spec.Ref { return spec.MustCreateRef("#/" + name) }
	return &book{openapi.GetOpenAPIDefinitions(ref), map[reflect.Type]*structFacts{}}
}

// The fields that begin every object; a mark stands for them.
var typeMeta = []string{"kind string -? in=TypeMeta", "apiVersion string -? in=TypeMeta"}

// Types whose JSON is not that of their fields, by the word that the loader knows them by.
var special = map[reflect.Type]string{
	reflect.TypeFor[metav1.Time]():          "time",
	reflect.TypeFor[metav1.MicroTime]():     "micro-time",
	reflect.TypeFor[metav1.Duration]():      "duration",
	reflect.TypeFor[resource.Quantity]():    "quantity",
	reflect.TypeFor[intstr.IntOrString]():   "int-or-string",
	reflect.TypeFor[runtime.RawExtension](): "raw-extension",
	reflect.TypeFor[metav1.FieldsV1]():      "fields-v1",

	reflect.TypeFor[apiextensionsv1.JSON]():                              "json-text",
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrArray]():            "schema-or-array",
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrBool]():             "schema-or-bool",
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrStringArray]():      "schema-or-string-array",
	reflect.TypeFor[apiextensionsv1beta1.JSON]():                         "json-text",
	reflect.TypeFor[apiextensionsv1beta1.JSONSchemaPropsOrArray]():       "schema-or-array",
	reflect.TypeFor[apiextensionsv1beta1.JSONSchemaPropsOrBool]():        "schema-or-bool",
	reflect.TypeFor[apiextensionsv1beta1.JSONSchemaPropsOrStringArray](): "schema-or-string-array",
}

var scalars = map[reflect.Kind]string{
	reflect.String: "string", reflect.Bool: "boolean", reflect.Int32: "int32", reflect.Int64: "int64",
	reflect.Uint32: "uint32", reflect.Uint64: "uint64", reflect.Float32: "float", reflect.Float64: "double",
}

// What Go calls a type that has no name of its own, by our word; goType is printed only where it differs.
var goNames = map[string]string{
	"boolean": "bool", "float": "float32", "double": "float64", "bytes": "[]uint8", "time": "v1.Time", "micro-time": "v1.MicroTime",
	"duration": "v1.Duration", "quantity": "resource.Quantity", "int-or-string": "intstr.IntOrString",
	"raw-extension": "runtime.RawExtension", "fields-v1": "v1.FieldsV1", "json": "interface {}",
}

// typeOf prints a type: a word for a scalar, `[` and the items, `{` and the values, `module:Name` for a struct.
func (b *book) typeOf(t reflect.Type) string {
	if word, ok := special[t]; ok {
		return word
	}
	if word, ok := scalars[t.Kind()]; ok {
		return word
	}
	switch t.Kind() {
	case reflect.Pointer:
		return b.typeOf(t.Elem())
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return "json"
		}
	case reflect.Map:
		if t.Key().Kind() == reflect.String {
			return "{" + b.typeOf(t.Elem())
		}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		return "[" + b.typeOf(t.Elem())
	case reflect.Struct:
		b.addStruct(t)
		return moduleOf(t) + ":" + t.Name()
	}
	panic("no facts for " + t.String())
}

// plainGoName is what the loader derives from our type.
func plainGoName(t reflect.Type, word string) string {
	if name, ok := goNames[word]; ok {
		return name
	}
	switch word[0] {
	case '[':
		return "[]" + plainGoName(element(t), word[1:])
	case '{':
		return "map[string]" + plainGoName(element(t), word[1:])
	}
	if t.Kind() == reflect.Struct {
		return t.String()
	}
	return word
}

func element(t reflect.Type) reflect.Type {
	e := t.Elem()
	if e.Kind() == reflect.Pointer {
		return e.Elem()
	}
	return e
}

func (b *book) addStruct(t reflect.Type) {
	if _, ok := b.structs[t]; ok {
		return
	}
	facts := &structFacts{name: t.Name(), head: t.Name()}
	b.structs[t] = facts // recursive types end here
	definition, described := b.definitionOf(t)
	if len(definition.PatternProperties) > 0 || definition.Nullable {
		panic("unexpected schema of " + t.String())
	}
	extensions := map[string]any{}
	for key, value := range definition.Extensions {
		if key == "x-kubernetes-map-type" && value == "atomic" {
			facts.head += " ~"
		} else {
			extensions[key] = value
		}
	}
	if len(extensions) > 0 {
		facts.head += " =" + compact(extensions)
	}
	reader := fieldReader{book: b, owner: t, schema: definition, described: described, seen: map[string]bool{}}
	reader.read(t, nil, nil)
	facts.fields = reader.lines
	facts.members = reader.members
	if len(facts.fields) > 1 && slices.Equal(facts.fields[:2], typeMeta) {
		facts.head = strings.Replace(facts.head, t.Name(), t.Name()+" @", 1)
		facts.fields = facts.fields[2:]
	}
	for name := range definition.Properties {
		if !reader.seen[name] {
			panic(fmt.Sprintf("%s: the schema has %s, Go has not", t, name))
		}
	}
}

func (b *book) definitionOf(t reflect.Type) (schema spec.Schema, described bool) {
	definition, ok := b.definitions[modelName(t)]
	if !ok && !slices.Contains(withoutDefinitions, t.PkgPath()) {
		panic("no OpenAPI definition of " + t.String())
	}
	return definition.Schema, ok
}

func modelName(t reflect.Type) string {
	named, ok := reflect.New(t).Elem().Interface().(interface{ OpenAPIModelName() string })
	if !ok {
		panic(t.String() + " has no OpenAPI name")
	}
	return named.OpenAPIModelName()
}

func compact(value any) string {
	out, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(out)
}

// fieldReader prints the fields of one struct, those of embedded structs in their place.
type fieldReader struct {
	book      *book
	owner     reflect.Type
	schema    spec.Schema
	described bool
	seen      map[string]bool
	lines     []string
	members   []member
}

func (r *fieldReader) read(t reflect.Type, numbers, embedded []string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		number := "0"
		if parts := strings.Split(f.Tag.Get("protobuf"), ","); len(parts) > 1 {
			number = parts[1]
		}
		if _, err := strconv.Atoi(number); err != nil {
			panic(err)
		}
		switch {
		case name == "-":
		case name == "" && f.Anonymous && f.Type.Kind() == reflect.Struct:
			r.read(f.Type, append(slices.Clone(numbers), number), append(slices.Clone(embedded), f.Name))
		case name == "" || r.seen[name]:
			panic(fmt.Sprintf("%s.%s: a field that cannot be told", r.owner, f.Name))
		default:
			r.seen[name] = true
			r.lines = append(r.lines, r.field(f, name, strings.Split(options, ","), append(slices.Clone(numbers), number), embedded))
		}
	}
}

// field prints `name type number-and-flags`, then what differs from the default, the default value last.
func (r *fieldReader) field(f reflect.StructField, name string, options, numbers, embedded []string) string {
	property, ok := r.schema.Properties[name]
	if !ok && r.described {
		panic(fmt.Sprintf("%s: Go has %s, the schema has not", r.owner, name))
	}
	word := r.book.typeOf(f.Type)
	flags := ""
	flag := func(mark string, on bool) {
		if on {
			flags += mark
		}
	}
	_, wrapped := reflect.New(f.Type).Interface().(interface{ Marshal() ([]byte, error) })
	isList := f.Type.Kind() == reflect.Slice && word != "bytes"
	flag("*", f.Type.Kind() == reflect.Pointer)
	flag("?", slices.Contains(options, "omitempty"))
	flag("z", slices.Contains(options, "omitzero"))
	flag("w", wrapped && isList)
	if r.described {
		flag("!", slices.Contains(r.schema.Required, name))
	} else {
		flag("!", !slices.Contains(options, "omitempty"))
	}
	where := strings.Join(numbers, ".")
	if slices.Contains(numbers, "0") {
		where = "-" // TypeMeta, which the envelope carries; types that have no binary form
	}
	extra, mapType := "", ""
	shown := member{name: name, word: word, required: strings.HasSuffix(flags, "!")}
	if r.described {
		extra, mapType = r.schemaFacts(name, word, property)
		for _, value := range innermost(name, word, property).Enum {
			shown.enum = append(shown.enum, value.(string))
		}
	}
	r.members = append(r.members, shown)
	flags += mapType
	line := name + " " + word + " " + where + flags
	goType := f.Type
	if goType.Kind() == reflect.Pointer {
		goType = goType.Elem()
	}
	if goType.String() != plainGoName(goType, word) {
		line += " go=" + strings.ReplaceAll(goType.String(), " ", "")
	}
	if len(embedded) > 0 {
		line += " in=" + strings.Join(embedded, ".")
	}
	if strategy := f.Tag.Get("patchStrategy"); strategy != "" {
		line += " patch=" + strategy
	}
	if key := f.Tag.Get("patchMergeKey"); key != "" {
		line += " key=" + key
	}
	return line + extra
}
