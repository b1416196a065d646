package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sort"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/kube-openapi/pkg/handler"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
)

// readSchema makes of `doc` the two forms in which the reference holds a schema.
func readSchema(q question) (*apiextensions.JSONSchemaProps, *structuralschema.Structural, error) {
	v1 := &apiextensionsv1.JSONSchemaProps{}
	if err := json.Unmarshal(q.Doc, v1); err != nil {
		return nil, nil, err
	}
	internal := &apiextensions.JSONSchemaProps{}
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(v1, internal, nil); err != nil {
		return nil, nil, err
	}
	s, err := structuralschema.NewStructural(internal)
	return internal, s, err
}

// object and old are the value to judge and what it was before; part is "status" for writes of the status.
type schemaInput struct {
	Object any    `json:"object"`
	Old    any    `json:"old"`
	Part   string `json:"part"`
}

func readInput(q question) (schemaInput, error) {
	var raw map[string]any
	in := schemaInput{}
	if err := utiljson.Unmarshal(q.Patch, &raw); err != nil {
		return in, err
	}
	in.Object, in.Old = raw["object"], raw["old"]
	in.Part, _ = raw["part"].(string)
	return in, nil
}

// texts are sorted because the reference walks maps in no order.
func texts(errs field.ErrorList) []string {
	out := []string{}
	for _, err := range errs {
		out = append(out, fmt.Sprintf("%s|%s|%s", string(err.Type), err.Field, err.ErrorBody()))
	}
	sort.Strings(out)
	return out
}

func schemaReply(q question) (answer, bool) {
	switch q.Op {
	case "schema-format":
		return good(strfmt.Default.Validates(q.Rule, q.Text)), true
	case "schema-structural":
		_, s, err := readSchema(q)
		if err != nil {
			return bad(err), true
		}
		return answer{Ok: true, List: texts(structuralschema.ValidateStructural(field.NewPath("schema"), s))}, true
	case "schema-prune":
		return schemaPrune(q), true
	case "schema-default":
		return schemaDefault(q), true
	case "schema-validate":
		return schemaValidate(q), true
	case "schema-default-values":
		_, s, err := readSchema(q)
		if err != nil {
			return bad(err), true
		}
		errs, err := defaulting.ValidateDefaults(context.Background(), field.NewPath("schema"), s, true, q.Rule == "pruned")
		if err != nil {
			return bad(err), true
		}
		return answer{Ok: true, List: texts(errs)}, true
	case "schema-openapi":
		return schemaOpenAPI(q), true
	}
	return answer{}, false
}

func schemaPrune(q question) answer {
	_, s, err := readSchema(q)
	if err != nil {
		return bad(err)
	}
	in, err := readInput(q)
	if err != nil {
		return bad(err)
	}
	object := in.Object.(map[string]any)
	unknown := pruning.PruneWithOptions(object, s, true, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	coerced, more := objectmeta.CoerceWithOptions(nil, object, s, false, objectmeta.CoerceOptions{ReturnUnknownFieldPaths: true, DropInvalidFields: q.Rule == "drop"})
	if coerced != nil {
		return bad(coerced)
	}
	return answer{Ok: true, Out: object, List: append(unknown, more...)}
}

func schemaDefault(q question) answer {
	_, s, err := readSchema(q)
	if err != nil {
		return bad(err)
	}
	s = s.DeepCopy()
	if err := defaulting.PruneDefaults(s); err != nil {
		return bad(err)
	}
	in, err := readInput(q)
	if err != nil {
		return bad(err)
	}
	defaulting.PruneNonNullableNullsWithoutDefaults(in.Object, s)
	defaulting.Default(in.Object, s)
	return good(in.Object)
}

func schemaValidate(q question) answer {
	internal, s, err := readSchema(q)
	if err != nil {
		return bad(err)
	}
	in, err := readInput(q)
	if err != nil {
		return bad(err)
	}
	object, _ := in.Object.(map[string]any)
	old, _ := in.Old.(map[string]any)
	errs := field.ErrorList{}
	switch {
	case in.Part == "status":
		status := internal.Properties["status"]
		validator, _, err := validation.NewSchemaValidator(&status)
		if err != nil {
			return bad(err)
		}
		correlated := common.NewCorrelatedObject(object, old, &model.Structural{Structural: s})
		if value, ok := object["status"]; ok {
			errs = append(errs, validation.ValidateCustomResourceUpdate(field.NewPath("status"), value, old["status"], validator, validation.WithRatcheting(correlated.Key("status")))...)
		}
		if newErrs := listtype.ValidateListSetsAndMaps(nil, s, object); len(newErrs) > 0 {
			if oldErrs := listtype.ValidateListSetsAndMaps(nil, s, old); len(oldErrs) == 0 {
				errs = append(errs, newErrs...)
			}
		}
	case old != nil:
		validator, _, err := validation.NewSchemaValidator(internal)
		if err != nil {
			return bad(err)
		}
		correlated := common.NewCorrelatedObject(object, old, &model.Structural{Structural: s})
		errs = append(errs, validation.ValidateCustomResourceUpdate(nil, object, old, validator, validation.WithRatcheting(correlated))...)
		errs = append(errs, objectmeta.Validate(nil, object, s, false)...)
		if oldErrs := listtype.ValidateListSetsAndMaps(nil, s, old); len(oldErrs) == 0 {
			errs = append(errs, listtype.ValidateListSetsAndMaps(nil, s, object)...)
		}
	default:
		validator, _, err := validation.NewSchemaValidator(internal)
		if err != nil {
			return bad(err)
		}
		errs = append(errs, validation.ValidateCustomResource(nil, object, validator)...)
		errs = append(errs, objectmeta.Validate(nil, object, s, false)...)
		errs = append(errs, listtype.ValidateListSetsAndMaps(nil, s, object)...)
	}
	return answer{Ok: true, List: texts(errs)}
}

func schemaOpenAPI(q question) answer {
	v1 := &apiextensionsv1.JSONSchemaProps{}
	if err := json.Unmarshal(q.Doc, v1); err != nil {
		return bad(err)
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	crd.Spec.Group = "example.com"
	crd.Spec.Names = apiextensionsv1.CustomResourceDefinitionNames{Plural: "things", Singular: "thing", Kind: "Thing", ListKind: "ThingList"}
	crd.Spec.PreserveUnknownFields = q.Text == "preserve"
	crd.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: v1}}}
	if q.Rule == "v2" {
		built, err := builder.BuildOpenAPIV2(crd, "v1", builder.Options{V2: true})
		if err != nil {
			return bad(err)
		}
		return good(handler.PruneDefaults(built.Definitions)["com.example.v1.Thing"])
	}
	built, err := builder.BuildOpenAPIV3(crd, "v1", builder.Options{})
	if err != nil {
		return bad(err)
	}
	return good(built.Components.Schemas["com.example.v1.Thing"])
}
