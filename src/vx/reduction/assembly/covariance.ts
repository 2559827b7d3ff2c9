/**
 * Sums of products of columns, for PCA's covariance. Rows are packed in panels of eight columns, so that a tile of 4 x 8
 * products stays in registers while it goes down the rows. f32 within a block of rows, f64 from block to block.
 */

const PANEL: u32 = 8;
const PANEL_BYTES: u32 = PANEL * 4;

/** Writes row-major f32 [count, dimension] less the f64 mean as panels, [panels][count][8]; columns beyond are 0. */
export function packCentred(rows: usize, count: u32, dimension: u32, mean: usize, panels: usize): void {
  const panelCount = (dimension + PANEL - 1) / PANEL;
  for (let panel: u32 = 0; panel < panelCount; panel++) {
    const first = panel * PANEL;
    const columns = min(PANEL, dimension - first);
    let to = panels + panel * count * PANEL_BYTES;
    for (let row: u32 = 0; row < count; row++) {
      const from = rows + ((row * dimension + first) << 2);
      for (let i: u32 = 0; i < columns; i++) {
        store<f32>(
          to + (i << 2),
          <f32>(<f64>load<f32>(from + (i << 2)) - load<f64>(mean + ((first + i) << 3))),
        );
      }
      // A block of another length may have left its numbers there.
      for (let i = columns; i < PANEL; i++) store<f32>(to + (i << 2), 0);
      to += PANEL_BYTES;
    }
  }
}

/** Adds the products of panel `i`'s columns with those of it and all later panels to f64 [stride, stride]. */
export function addProducts(panels: usize, count: u32, stride: u32, i: u32, matrix: usize): void {
  const panelCount = stride / PANEL;
  const panelBytes = count * PANEL_BYTES;
  const left = panels + i * panelBytes;
  for (let j = i; j < panelCount; j++) {
    const right = panels + j * panelBytes;
    const tile = matrix + ((i * PANEL * stride + j * PANEL) << 3);
    addTile(left, right, count, tile, stride << 3);
    addTile(left + 16, right, count, tile + (stride << 5), stride << 3);
  }
}

/** Products of four columns with eight. */
function addTile(left: usize, right: usize, count: u32, tile: usize, strideBytes: u32): void {
  let a0 = f32x4.splat(0);
  let a1 = f32x4.splat(0);
  let b0 = f32x4.splat(0);
  let b1 = f32x4.splat(0);
  let c0 = f32x4.splat(0);
  let c1 = f32x4.splat(0);
  let d0 = f32x4.splat(0);
  let d1 = f32x4.splat(0);
  for (const end = left + count * PANEL_BYTES; left < end; left += PANEL_BYTES) {
    const low = v128.load(right);
    const high = v128.load(right, 16);
    let x = v128.load_splat<u32>(left);
    a0 = f32x4.add(a0, f32x4.mul(x, low));
    a1 = f32x4.add(a1, f32x4.mul(x, high));
    x = v128.load_splat<u32>(left, 4);
    b0 = f32x4.add(b0, f32x4.mul(x, low));
    b1 = f32x4.add(b1, f32x4.mul(x, high));
    x = v128.load_splat<u32>(left, 8);
    c0 = f32x4.add(c0, f32x4.mul(x, low));
    c1 = f32x4.add(c1, f32x4.mul(x, high));
    x = v128.load_splat<u32>(left, 12);
    d0 = f32x4.add(d0, f32x4.mul(x, low));
    d1 = f32x4.add(d1, f32x4.mul(x, high));
    right += PANEL_BYTES;
  }
  addRow(tile, a0, a1);
  addRow(tile + strideBytes, b0, b1);
  addRow(tile + strideBytes * 2, c0, c1);
  addRow(tile + strideBytes * 3, d0, d1);
}

/** Adds eight f32 to eight f64. */
function addRow(to: usize, low: v128, high: v128): void {
  addPair(to, low);
  addPair(to + 16, v128.shuffle<f32>(low, low, 2, 3, 2, 3));
  addPair(to + 32, high);
  addPair(to + 48, v128.shuffle<f32>(high, high, 2, 3, 2, 3));
}

/** Adds the two lower f32 to two f64. */
function addPair(to: usize, pair: v128): void {
  v128.store(to, f64x2.add(v128.load(to), f64x2.promote_low_f32x4(pair)));
}
