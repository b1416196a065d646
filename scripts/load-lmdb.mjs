// The package `lmdb` for files of a bundle. Its JavaScript is in the bundle, so that V8 has its compiled code and nine
// packages need not be read. Its addon is that of the installed package. If the two might not fit together, the
// installed package is used as it is.
import { addonPath, require as requireInstalled } from './lmdb-addon.mjs';

export const { open } = addonPath === undefined ? requireInstalled('lmdb') : require('bundled:lmdb');
