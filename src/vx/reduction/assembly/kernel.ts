/**
 * The kernel's exports: loops that the host (../kernel.ts) hands addresses of its own memory. It holds no state but how much
 * of that memory is taken; each fit, and each model of PCA, has an instance of its own.
 */
export { addProducts, packCentred } from "./covariance";
export {
  endReflection,
  multiplyRows,
  reflectionOf,
  reflectRows,
  rotateRows,
} from "./eigen";
export { take } from "./memory";
export { project } from "./project";
export { growTree, repelByTree } from "./tree";
export { attract, gradientStep, repelAll } from "./tsne";
export { runEpoch } from "./umap";
