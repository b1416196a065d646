package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"
	"unicode"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// shapePackage is one generated file: how encoding/json prints the structs of one package of internal types.
type shapePackage struct {
	id      string
	roots   []string
	uses    map[string]bool
	structs map[string]string
}

// shapeBook holds the structs that were reached, and the versioned struct that each was read beside.
type shapeBook struct {
	packages  map[string]*shapePackage
	versioned map[reflect.Type]reflect.Type
}

func collectShapes() []*shapePackage {
	b := &shapeBook{map[string]*shapePackage{}, map[reflect.Type]reflect.Type{}}
	for _, root := range shapeRoots {
		t := reflect.TypeOf(root.internal)
		b.addStruct(t, reflect.TypeOf(root.versioned))
		p := b.packageOf(t)
		p.roots = append(p.roots, t.Name())
	}
	out := []*shapePackage{}
	for _, p := range b.packages {
		slices.Sort(p.roots)
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b *shapePackage) int { return cmp.Compare(a.id, b.id) })
	return out
}

func (b *shapeBook) packageOf(t reflect.Type) *shapePackage {
	id := path.Base(t.PkgPath())
	if _, ok := b.packages[id]; !ok {
		b.packages[id] = &shapePackage{id: id, uses: map[string]bool{}, structs: map[string]string{}}
	}
	return b.packages[id]
}

func (b *shapeBook) addStruct(t, versioned reflect.Type) {
	if known, ok := b.versioned[t]; ok {
		if known != versioned {
			panic(fmt.Sprintf("%s is read beside %s and %s", t, known, versioned))
		}
		return
	}
	b.versioned[t] = versioned // recursive types end here
	p := b.packageOf(t)
	words := []string{t.Name()}
	if isMarshaler(versioned) {
		words = append(words, "|")
		words = append(words, b.members(p, t, versioned)...)
	} else {
		words = append(words, b.fields(p, t, versioned, t)...)
	}
	names := map[string]bool{}
	for _, word := range words[1:] {
		name := strings.FieldsFunc(word, func(r rune) bool { return r == '=' || r == ':' })[0]
		if names[name] {
			panic(fmt.Sprintf("%s prints %s twice", t, name))
		}
		names[name] = true
	}
	p.structs[t.Name()] = strings.Join(words, " ")
}

// members prints the fields of a union, whose versioned type reads one of them from its JSON value.
func (b *shapeBook) members(p *shapePackage, t, versioned reflect.Type) []string {
	words := []string{}
	for i := range t.NumField() {
		f := t.Field(i)
		of, ok := versioned.FieldByName(f.Name)
		if !ok || !slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Slice, reflect.Bool}, f.Type.Kind()) {
			panic(fmt.Sprintf("%s is not a member of %s", f.Name, versioned))
		}
		words = append(words, f.Name+b.suffix(p, f.Type, of.Type))
	}
	return words
}

// fields prints the fields of t, those of embedded structs in their place. owner is the struct that t is embedded in, or t.
func (b *shapeBook) fields(p *shapePackage, t, versioned, owner reflect.Type) []string {
	words := []string{}
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Tag.Get("json") != "" {
			panic(fmt.Sprintf("%s.%s has a JSON name of its own", t, f.Name))
		}
		switch {
		case f.Type == reflect.TypeFor[metav1.ObjectMeta]():
			words = append(words, "<"+jsonNameIn(versioned, f.Name))
		case f.Anonymous:
			words = append(words, b.fields(p, f.Type, versioned, owner)...)
		default:
			words = append(words, b.field(p, f, versioned, owner))
		}
	}
	return words
}

func (b *shapeBook) field(p *shapePackage, f reflect.StructField, versioned, owner reflect.Type) string {
	name, moved := movedFields[owner.String()+"."+f.Name]
	of := f.Type
	if !moved {
		name = jsonNameIn(versioned, f.Name)
		field, _ := versioned.FieldByName(f.Name)
		of = field.Type
	}
	word := f.Name
	if name != usualJSONName(f.Name) {
		word += "=" + name
	}
	return word + b.suffix(p, f.Type, of)
}

// suffix is the type of a field; nothing for a string.
func (b *shapeBook) suffix(p *shapePackage, t, versioned reflect.Type) string {
	if text := b.typeText(p, t, versioned); text != "" {
		return ":" + text
	}
	return ""
}

// typeText is a mark and a struct for pointers, lists and maps, the name of a struct, or the JSON of the zero value; nothing for a string.
func (b *shapeBook) typeText(p *shapePackage, t, versioned reflect.Type) string {
	versioned = dereferenced(versioned)
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + b.structText(p, t.Elem(), versioned)
	case reflect.Slice:
		return "[" + b.structText(p, t.Elem(), versioned.Elem())
	case reflect.Map:
		return "{" + b.structText(p, t.Elem(), versioned.Elem())
	case reflect.Interface:
		return "null"
	}
	if name := b.structText(p, t, versioned); name != "" {
		return name
	}
	zero, err := json.Marshal(reflect.Zero(t).Interface())
	if err != nil {
		panic(err)
	}
	text := string(zero)
	if text == `""` {
		return ""
	}
	if !slices.Contains([]string{"0", "false", "null", `"0"`}, text) {
		panic(fmt.Sprintf("the zero of %s is %s", t, text))
	}
	return text
}

// structText names a struct that prints by its Go names. A value of any other type prints as its JSON, and has no text.
func (b *shapeBook) structText(p *shapePackage, t, versioned reflect.Type) string {
	for e := t; e.Kind() != reflect.Struct || printsAsJSON(e); e = e.Elem() {
		if !slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Slice, reflect.Map}, e.Kind()) {
			return ""
		}
	}
	if t.Kind() != reflect.Struct {
		panic("no shape for " + t.String())
	}
	b.addStruct(t, dereferenced(versioned))
	of := b.packageOf(t)
	if of == p {
		return t.Name()
	}
	p.uses[of.id] = true
	return of.id + ":" + t.Name()
}

func dereferenced(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// printsAsJSON tells a struct with JSON names or a JSON form of its own.
func printsAsJSON(t reflect.Type) bool {
	return isMarshaler(t) || strings.HasPrefix(t.PkgPath(), "k8s.io/apimachinery/")
}

func isMarshaler(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[json.Marshaler]())
}

// jsonNameIn is the JSON name of a field, which may be promoted from structs that JSON flattens.
func jsonNameIn(t reflect.Type, goName string) string {
	field, ok := t.FieldByName(goName)
	if !ok {
		panic(fmt.Sprintf("%s has no %s", t, goName))
	}
	for i := range field.Index[1:] {
		around := t.FieldByIndex(field.Index[:i+1])
		if name, _, _ := strings.Cut(around.Tag.Get("json"), ","); name != "" {
			panic(fmt.Sprintf("%s.%s stands in %s", t, goName, name))
		}
	}
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	if name == "" || name == "-" {
		panic(fmt.Sprintf("%s.%s has no JSON name", t, goName))
	}
	return name
}

// usualJSONName is the JSON name that the reader derives from a Go name.
func usualJSONName(goName string) string {
	runes := []rune(goName)
	capitals := 0
	for capitals < len(runes) && unicode.IsUpper(runes[capitals]) {
		capitals++
	}
	if capitals > 1 && capitals < len(runes) {
		capitals--
	}
	return strings.ToLower(string(runes[:capitals])) + string(runes[capitals:])
}

func (p *shapePackage) print() string {
	var text strings.Builder
	uses := sortedKeys(p.uses)
	text.WriteString("import type { PackageShapes } from '../../apimachinery/go-shape/package-shapes.ts';\n")
	for i, id := range uses {
		fmt.Fprintf(&text, "import { %sShapes } from './%s.ts';\n", id, id)
		uses[i] = id + "Shapes"
	}
	roots := "'" + strings.Join(p.roots, "' | '") + "'"
	fmt.Fprintf(&text, "\nexport const %sShapes: PackageShapes<%s> = {\n  id: '%s',\n", p.id, roots, p.id)
	fmt.Fprintf(&text, "  roots: ['%s'],\n  uses: [%s],\n  structs: `", strings.Join(p.roots, "', '"), strings.Join(uses, ", "))
	lines := []string{}
	for _, line := range p.structs {
		lines = append(lines, line)
	}
	slices.Sort(lines)
	for _, line := range lines {
		fmt.Fprintf(&text, "\n%s", quoted(line))
	}
	text.WriteString("`,\n};\n")
	return text.String()
}
