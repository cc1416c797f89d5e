export type Sized = { readonly size: number; readonly png: Buffer };

/** A Windows .ico that holds PNG images. */
export function ico(images: readonly Sized[]): Buffer {
  const head = Buffer.alloc(6 + images.length * 16);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(images.length, 4);
  let offset = head.length;
  images.forEach(({ size, png }, at) => {
    const entry = 6 + at * 16;
    // 256 is written as 0, because the field has one byte.
    head.writeUInt8(size % 256, entry);
    head.writeUInt8(size % 256, entry + 1);
    head.writeUInt16LE(1, entry + 4);
    head.writeUInt16LE(32, entry + 6);
    head.writeUInt32LE(png.length, entry + 8);
    head.writeUInt32LE(offset, entry + 12);
    offset += png.length;
  });
  return Buffer.concat([head, ...images.map(({ png }) => png)]);
}

/** Apple's names of the PNG images in an .icns, by size in pixels. */
const icnsTypes: Readonly<Record<number, readonly string[]>> = {
  32: ["ic11"],
  64: ["ic12"],
  128: ["ic07"],
  256: ["ic08", "ic13"],
  512: ["ic09", "ic14"],
  1024: ["ic10"],
};

/** A macOS .icns. Leaves out sizes without a PNG type. */
export function icns(images: readonly Sized[]): Buffer {
  const entries = images.flatMap(({ size, png }) =>
    (icnsTypes[size] ?? []).map((type) => Buffer.concat([block(type, png.length + 8), png])),
  );
  const length = entries.reduce((sum, entry) => sum + entry.length, 8);
  return Buffer.concat([block("icns", length), ...entries]);
}

function block(type: string, length: number): Buffer {
  const head = Buffer.alloc(8);
  head.write(type, 0, "latin1");
  head.writeUInt32BE(length, 4);
  return head;
}
