import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";

type Algorithm = "RS256" | "ES256" | "EdDSA";

type Key = { readonly kid: string; readonly privateKey: CryptoKey; readonly publicJwk: JWK };

type SignOptions = {
  readonly algorithm?: Algorithm;
  /** The key id in the header, if it should differ from the key's. Null leaves it out. */
  readonly kid?: string | null;
};

/** A real issuer of tokens, for tests. */
export type Issuer = {
  readonly url: string;
  /** Adds `claims` to iss, aud "fixture", iat now and exp in an hour. Undefined leaves a claim out. */
  readonly sign: (claims: { readonly [claim: string]: unknown }, options?: SignOptions) => Promise<string>;
  /** Replaces the keys by new ones with new ids. */
  readonly rotate: () => Promise<void>;
  /** Number of requests for its keys. */
  readonly asked: () => number;
  /** An answer to send instead. Null for the real answer. */
  answer: ((response: ServerResponse) => void) | null;
  readonly jwks: () => { readonly keys: readonly JWK[] };
  readonly stop: () => Promise<void>;
};

/**
 * Starts an OpenID provider on a free port: its metadata, its keys, and `POST /token`, which signs claims as an ID token.
 * `POST /custom-token` signs them as a custom JWT, and `POST /custom-token/no-kid` does so without a key id.
 */
export async function startIssuer(): Promise<Issuer> {
  let keys = await generateKeys(1);
  let generation = 1;
  let asked = 0;
  const server = createServer((request, response) => {
    void respond(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;

  const issuer: Issuer = {
    url,
    sign: async (claims, { algorithm = "RS256", kid } = {}) => {
      const key = keys[algorithm];
      const now = Math.floor(Date.now() / 1000);
      const payload = { iss: url, aud: "fixture", sub: "ann", iat: now, exp: now + 3600, ...claims };
      return await new SignJWT(JSON.parse(JSON.stringify(payload)) as Record<string, unknown>)
        .setProtectedHeader({
          alg: algorithm,
          typ: "JWT",
          ...(kid === null ? {} : { kid: kid ?? key.kid }),
        })
        .sign(key.privateKey);
    },
    rotate: async () => {
      generation += 1;
      keys = await generateKeys(generation);
    },
    asked: () => asked,
    answer: null,
    jwks: () => ({ keys: Object.values(keys).map(({ publicJwk }) => publicJwk) }),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const options = signOptions[request.url ?? ""];
    if (options !== undefined) {
      const claims = JSON.parse(await textOf(request)) as Record<string, unknown>;
      response.end(await issuer.sign(claims, options));
    } else if (issuer.answer !== null) issuer.answer(response);
    else if (request.url === "/.well-known/openid-configuration") {
      sendJson(response, { issuer: url, jwks_uri: `${url}/jwks` });
    } else if (request.url === "/jwks") {
      asked += 1;
      sendJson(response, issuer.jwks());
    } else response.writeHead(404).end();
  }
  return issuer;
}

const signOptions: { readonly [path: string]: SignOptions } = {
  "/token": {},
  "/custom-token": { algorithm: "ES256" },
  "/custom-token/no-kid": { algorithm: "ES256", kid: null },
};

async function generateKeys(generation: number): Promise<Readonly<Record<Algorithm, Key>>> {
  const key = async (alg: Algorithm): Promise<Key> => {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
    const kid = `${alg}-${String(generation)}`;
    return { kid, privateKey, publicJwk: { ...(await exportJWK(publicKey)), alg, kid, use: "sig" } };
  };
  const [RS256, ES256, EdDSA] = await Promise.all([key("RS256"), key("ES256"), key("EdDSA")]);
  return { RS256, ES256, EdDSA };
}

function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(value));
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += String(chunk);
  return text;
}
