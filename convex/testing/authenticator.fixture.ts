import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

const text = (value: Uint8Array | string): string => Buffer.from(value).toString("base64url");

/** CBOR of the few kinds that a passkey needs. */
function cbor(value: unknown): Buffer {
  const head = (major: number, count: number): Buffer =>
    count < 24
      ? Buffer.from([(major << 5) | count])
      : count < 256
        ? Buffer.from([(major << 5) | 24, count])
        : Buffer.from([(major << 5) | 25, count >> 8, count & 255]);
  if (typeof value === "number") return value < 0 ? head(1, -value - 1) : head(0, value);
  if (typeof value === "string")
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  const entries = value instanceof Map ? [...value.entries()] : [];
  return Buffer.concat([head(5, entries.length), ...entries.flat().map(cbor)]);
}

type Options = { readonly challenge: string };

/** A device that makes and uses one passkey, as a browser's own functions do. Tests change what it says. */
export class Authenticator {
  readonly id = text(randomBytes(32));
  origin: string;
  /** Whether it checks its user, by a fingerprint or a PIN. */
  checksUser = true;
  counter = 0;
  userHandle: string | null = null;
  readonly #keys: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };

  constructor(origin: string) {
    this.origin = origin;
    this.#keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  }

  #clientData(type: string, challenge: string): string {
    return JSON.stringify({ type, challenge, origin: this.origin, crossOrigin: false });
  }

  #data(flags: number, rest: Uint8Array = Buffer.alloc(0)): Buffer {
    const party = createHash("sha256").update(new URL(this.origin).hostname).digest();
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    return Buffer.concat([party, Buffer.from([flags | 1 | (this.checksUser ? 4 : 0)]), counter, rest]);
  }

  /** Makes the passkey. */
  create({ challenge, user }: Options & { readonly user: { readonly id: string } }) {
    this.userHandle = user.id;
    const { x = "", y = "" } = this.#keys.publicKey.export({ format: "jwk" });
    const publicKey = cbor(
      new Map<number, unknown>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, "base64url")],
        [-3, Buffer.from(y, "base64url")],
      ]),
    );
    const id = Buffer.from(this.id, "base64url");
    const authData = this.#data(
      0x40,
      Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, publicKey]),
    );
    const attestation = new Map<string, unknown>([
      ["fmt", "none"],
      ["attStmt", new Map()],
      ["authData", authData],
    ]);
    return {
      id: this.id,
      clientDataJSON: text(this.#clientData("webauthn.create", challenge)),
      attestationObject: text(cbor(attestation)),
      transports: ["internal"],
    };
  }

  /** Signs a challenge with it. */
  get({ challenge }: Options) {
    this.counter += 1;
    const clientData = this.#clientData("webauthn.get", challenge);
    const authenticatorData = this.#data(0);
    const signed = Buffer.concat([authenticatorData, createHash("sha256").update(clientData).digest()]);
    return {
      id: this.id,
      clientDataJSON: text(clientData),
      authenticatorData: text(authenticatorData),
      signature: text(sign("sha256", signed, this.#keys.privateKey)),
      userHandle: this.userHandle,
    };
  }
}
