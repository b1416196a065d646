/** Validation of a Node's taints, and of the alpha annotations for taints and avoided pods. */
import { goValue } from '../../../../apimachinery/go-shape/go-value.ts';
import { flagAt, objectAt, objectsAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  declared,
  duplicate,
  type FieldIssue,
  invalid,
  notSupported,
  required,
} from '../../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import { checkLabelValue, validateLabelName } from '../../../../apimachinery/validation/label-syntax.ts';
import { encodeUtf8 } from '../../../../base/bytes.ts';
import { readJson } from '../../../../base/json-read.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../base/json-value.ts';
import { coreShapes } from '../../../../kinds/shapes/core.ts';
import { jsonObjectProblem } from '../json-problem.ts';
import { TAINT_EFFECTS } from '../pod/spec/validate-tolerations.ts';

const ANNOTATIONS = FieldPath.of('metadata', 'annotations');
const TAINTS = 'scheduler.alpha.kubernetes.io/taints';
const AVOID_PODS = 'scheduler.alpha.kubernetes.io/preferAvoidPods';

export function validateTaints(taints: readonly JsonObject[], path: FieldPath): FieldIssue[] {
  const seen = new Set<string>();
  return taints.flatMap((taint, i) => {
    const own = path.index(i);
    const [key, value, effect] = [textAt(taint, 'key'), textAt(taint, 'value'), textAt(taint, 'effect')];
    const issues = validateLabelName(key, own.child('key'));
    const complaints = checkLabelValue(value);
    if (complaints.length > 0) issues.push(invalid(own.child('value'), value, complaints.join(';')));
    if (effect === '') issues.push(required(own.child('effect'), ''));
    else if (!TAINT_EFFECTS.includes(effect)) issues.push(notSupported(own.child('effect'), effect, TAINT_EFFECTS));
    const pair = `${effect} ${key}`;
    if (seen.has(pair)) {
      const again = declared(duplicate(own, goValue(coreShapes, 'Taint', taint)));
      issues.push({ ...again, detail: 'taints must be unique by key and effect pair' });
    }
    seen.add(pair);
    return issues;
  });
}

export function validateNodeAnnotations(object: JsonObject): FieldIssue[] {
  const annotations = objectAt(object, 'metadata', 'annotations') ?? {};
  const issues: FieldIssue[] = [];
  const taints = textAt(annotations, TAINTS);
  if (taints !== '') {
    const list = readList(taints);
    if (list === undefined) issues.push(invalid(ANNOTATIONS, TAINTS, 'json: cannot unmarshal value into taints'));
    else addIssues(issues, validateTaints(list, ANNOTATIONS.child(TAINTS)));
  }
  const avoid = textAt(annotations, AVOID_PODS);
  if (avoid !== '') addIssues(issues, validateAvoidPods(avoid));
  return issues;
}

function validateAvoidPods(text: string): FieldIssue[] {
  const problem = jsonObjectProblem(encodeUtf8(text));
  if (problem !== undefined) return [invalid(ANNOTATIONS.child('AvoidPods'), AVOID_PODS, problem)];
  const read = readJson(text);
  const entries = read.ok && isJsonObject(read.value) ? objectsAt(read.value, 'preferAvoidPods') : [];
  return entries.flatMap((entry, i) => {
    const path = ANNOTATIONS.child(AVOID_PODS).index(i).child('PodSignature');
    const controller = objectAt(entry, 'podSignature', 'podController');
    if (controller === undefined) return [required(path, '')];
    if (flagAt(controller, 'controller')) return [];
    return [invalid(path.child('PodController', 'Controller'), false, 'must point to a controller')];
  });
}

function readList(text: string): readonly JsonObject[] | undefined {
  const read = readJson(text);
  const value: JsonValue | undefined = read.ok ? read.value : undefined;
  return Array.isArray(value) && value.every(isJsonObject) ? value : undefined;
}
