package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// served is what the clients that are generated from the same types know of a kind.
type served struct {
	plural     string
	namespaced bool
}

// markerReader reads the lines that begin with `+` around type declarations. Nothing else of a comment is looked at.
type markerReader struct {
	folder   string
	packages map[string]map[string][]string
}

// resourceOf is nil for a kind without paths of its own: a list, an options type, the body of a subresource.
func (m *markerReader) resourceOf(gvk schema.GroupVersionKind, t reflect.Type) *served {
	markers := m.markersOf(t)
	if !slices.Contains(markers, "genclient") || slices.Contains(markers, "genclient:noVerbs") {
		return nil
	}
	plural, _ := meta.UnsafeGuessKindToResource(gvk)
	return &served{plural.Resource, !slices.Contains(markers, "genclient:nonNamespaced")}
}

func (m *markerReader) markersOf(t reflect.Type) []string {
	found, ok := m.packages[t.PkgPath()]
	if !ok {
		found = m.readPackage(t.PkgPath())
		m.packages[t.PkgPath()] = found
	}
	return found[t.Name()]
}

func (m *markerReader) readPackage(path string) map[string][]string {
	command := exec.Command("go", "list", "-f", "{{.Dir}}", path)
	command.Dir = m.folder
	out, err := command.Output()
	if err != nil {
		panic(path + ": " + err.Error())
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "*.go"))
	if err != nil {
		panic(err)
	}
	found := map[string][]string{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			panic(err)
		}
		readMarkers(file, found)
	}
	return found
}

// readMarkers adds the markers of each type: those in any comment between the declaration before and its own.
func readMarkers(file *ast.File, into map[string][]string) {
	after := file.Name.End()
	for _, declaration := range file.Decls {
		general, ok := declaration.(*ast.GenDecl)
		if ok && general.Tok == token.TYPE && len(general.Specs) == 1 {
			name := general.Specs[0].(*ast.TypeSpec).Name.Name
			for _, group := range file.Comments {
				if group.Pos() > after && group.End() < general.TokPos {
					into[name] = append(into[name], markersIn(group)...)
				}
			}
		}
		after = declaration.End()
	}
}

func markersIn(group *ast.CommentGroup) []string {
	markers := []string{}
	for _, comment := range group.List {
		if marker, ok := strings.CutPrefix(strings.TrimSpace(strings.TrimPrefix(comment.Text, "//")), "+"); ok {
			markers = append(markers, strings.TrimSpace(marker))
		}
	}
	return markers
}
