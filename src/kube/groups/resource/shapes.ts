/** How the reference prints claims and node selectors in its messages; see `checks/go-shape.ts`. */
import type { Shape } from '../../shared/go-shape.ts';

const SELECTORS: Shape = [['CEL', 'cel', null, [['Expression', 'expression', '']]]];
const TOLERATIONS: Shape = [
  ['Key', 'key', ''],
  ['Operator', 'operator', ''],
  ['Value', 'value', ''],
  ['Effect', 'effect', ''],
  ['TolerationSeconds', 'tolerationSeconds', null],
];
const CAPACITY: Shape = [['Requests', 'requests', null]];
const OPAQUE: Shape = [
  ['Driver', 'driver', ''],
  ['Parameters', 'parameters', null, 'tagged'],
];

const ALTERNATIVE: Shape = [
  ['Name', 'name', ''],
  ['DeviceClassName', 'deviceClassName', ''],
  ['Selectors', 'selectors', null, SELECTORS],
  ['AllocationMode', 'allocationMode', ''],
  ['Count', 'count', 0],
  ['Tolerations', 'tolerations', null, TOLERATIONS],
  ['Capacity', 'capacity', null, CAPACITY],
];
const EXACTLY: Shape = [
  ['DeviceClassName', 'deviceClassName', ''],
  ['Selectors', 'selectors', null, SELECTORS],
  ['AllocationMode', 'allocationMode', ''],
  ['Count', 'count', 0],
  ['AdminAccess', 'adminAccess', null],
  ['Tolerations', 'tolerations', null, TOLERATIONS],
  ['Capacity', 'capacity', null, CAPACITY],
];

const DEVICE_CLAIM: Shape = [
  [
    'Requests',
    'requests',
    null,
    [
      ['Name', 'name', ''],
      ['Exactly', 'exactly', null, EXACTLY],
      ['FirstAvailable', 'firstAvailable', null, ALTERNATIVE],
    ],
  ],
  [
    'Constraints',
    'constraints',
    null,
    [
      ['Requests', 'requests', null],
      ['MatchAttribute', 'matchAttribute', null],
      ['DistinctAttribute', 'distinctAttribute', null],
    ],
  ],
  [
    'Config',
    'config',
    null,
    [
      ['Requests', 'requests', null],
      ['Opaque', 'opaque', null, OPAQUE],
    ],
  ],
];

export const CLAIM_SPEC: Shape = [['Devices', 'devices', {}, DEVICE_CLAIM]];

const EXPRESSIONS: Shape = [
  ['Key', 'key', ''],
  ['Operator', 'operator', ''],
  ['Values', 'values', null],
];
export const NODE_SELECTOR_TERM: Shape = [
  ['MatchExpressions', 'matchExpressions', null, EXPRESSIONS],
  ['MatchFields', 'matchFields', null, EXPRESSIONS],
];

export const ALLOCATION: Shape = [
  [
    'Devices',
    'devices',
    {},
    [
      [
        'Results',
        'results',
        null,
        [
          ['Request', 'request', ''],
          ['Driver', 'driver', ''],
          ['Pool', 'pool', ''],
          ['Device', 'device', ''],
          ['AdminAccess', 'adminAccess', null],
          ['Tolerations', 'tolerations', null, TOLERATIONS],
          ['BindingConditions', 'bindingConditions', null],
          ['BindingFailureConditions', 'bindingFailureConditions', null],
          ['ShareID', 'shareID', null],
          ['ConsumedCapacity', 'consumedCapacity', null],
        ],
      ],
      [
        'Config',
        'config',
        null,
        [
          ['Source', 'source', ''],
          ['Requests', 'requests', null],
          ['Opaque', 'opaque', null, OPAQUE],
        ],
      ],
    ],
  ],
  ['NodeSelector', 'nodeSelector', null, [['NodeSelectorTerms', 'nodeSelectorTerms', null, NODE_SELECTOR_TERM]]],
  ['AllocationTimestamp', 'allocationTimestamp', null],
];

export const ATTRIBUTE: Shape = [
  ['IntValue', 'int', null],
  ['BoolValue', 'bool', null],
  ['StringValue', 'string', null],
  ['VersionValue', 'version', null],
  ['IntValues', 'ints', null],
  ['BoolValues', 'bools', null],
  ['StringValues', 'strings', null],
  ['VersionValues', 'versions', null],
];

/** The status of a ResourcePoolStatusRequest. */
export const POOL_STATUS: Shape = [
  ['PoolCount', 'poolCount', null],
  [
    'Pools',
    'pools',
    null,
    [
      ['Driver', 'driver', ''],
      ['PoolName', 'poolName', ''],
      ['Generation', 'generation', 0],
      ['ResourceSliceCount', 'resourceSliceCount', null],
      ['TotalDevices', 'totalDevices', null],
      ['AllocatedDevices', 'allocatedDevices', null],
      ['AvailableDevices', 'availableDevices', null],
      ['UnavailableDevices', 'unavailableDevices', null],
      ['NodeName', 'nodeName', null],
      ['ValidationError', 'validationError', null],
    ],
  ],
  ['Conditions', 'conditions', null, 'tagged'],
];
