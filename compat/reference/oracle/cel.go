package main

import (
	"fmt"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/types"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	schemacel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	utilversion "k8s.io/apimachinery/pkg/util/version"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
)

// celScope is what expressions over one schema share.
type celScope struct {
	env       *cel.Env
	schema    *structuralschema.Structural
	estimator *library.CostEstimator
}

var celScopes = map[string]*celScope{}

func scopeOf(q question) (*celScope, error) {
	if scope, ok := celScopes[string(q.Doc)]; ok {
		return scope, nil
	}
	_, structural, err := readSchema(q)
	if err != nil {
		return nil, err
	}
	self := model.SchemaDeclType(structural, true).MaybeAssignTypeName("selfType")
	set, err := environment.MustBaseEnvSet(utilversion.MajorMinor(1, 36)).Extend(environment.VersionedOptions{
		IntroducedVersion: utilversion.MajorMinor(1, 0),
		EnvOptions:        []cel.EnvOption{cel.Variable("self", self.CelType())},
		DeclTypes:         []*apiservercel.DeclType{self},
	})
	if err != nil {
		return nil, err
	}
	scope := &celScope{set.StoredExpressionsEnv(), structural, &library.CostEstimator{SizeEstimator: declaredSizes{self}}}
	celScopes[string(q.Doc)] = scope
	return scope, nil
}

// declaredSizes knows how large a value may get from the limits of the schema.
type declaredSizes struct{ root *apiservercel.DeclType }

func (s declaredSizes) EstimateSize(element checker.AstNode) *checker.SizeEstimate {
	path := element.Path()
	if len(path) == 0 {
		return nil
	}
	at := s.root
	for _, step := range path[1:] {
		switch step {
		case "@items", "@values":
			at = at.ElemType
		case "@keys":
			at = at.KeyType
		default:
			field, ok := at.Fields[step]
			if !ok {
				return nil
			}
			at = field.Type
		}
		if at == nil {
			return nil
		}
	}
	return &checker.SizeEstimate{Min: 0, Max: uint64(at.MaxElements)}
}

func (declaredSizes) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}

// celReply compiles `text` over the schema `doc` and evaluates it with the object `patch` as self.
func celReply(q question) answer {
	scope, err := scopeOf(q)
	if err != nil {
		return bad(err)
	}
	ast, issues := scope.env.Compile(q.Text)
	if issues != nil {
		return answer{Error: "compile: " + issues.String()}
	}
	estimate, err := scope.env.EstimateCost(ast, scope.estimator)
	if err != nil {
		return answer{Error: "estimate: " + err.Error()}
	}
	list := []string{fmt.Sprintf("estimate %d to %d", estimate.Min, estimate.Max)}
	program, err := scope.env.Program(ast, cel.CostTracking(scope.estimator), cel.InterruptCheckFrequency(100))
	if err != nil {
		return answer{Error: "program: " + err.Error(), List: list}
	}
	var object any
	if err := utiljson.Unmarshal(q.Patch, &object); err != nil {
		return bad(err)
	}
	value, details, err := program.Eval(map[string]any{"self": schemacel.UnstructuredToVal(object, scope.schema)})
	if details != nil && details.ActualCost() != nil {
		list = append(list, fmt.Sprintf("cost %d", *details.ActualCost()))
	}
	if err != nil {
		return answer{Error: err.Error(), List: list}
	}
	return answer{Ok: true, Out: types.Format(value), List: list}
}
