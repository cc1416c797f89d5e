import { lookup } from "node:dns";
import http from "node:http";
import https from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { AddressKind } from "./address-kind.ts";

/** A source's name belongs to an address that a download may not connect to. */
export class ForbiddenAddress extends Error {
  override readonly name = "ForbiddenAddress";
}

/** Tests set GLEANER_TEST_LOCAL_SOURCES=1: their sources are on loopback, without TLS. */
export function allowsLocalSources(environment: NodeJS.ProcessEnv): boolean {
  return environment["GLEANER_TEST_LOCAL_SOURCES"] === "1";
}

export type KindOf = (address: string) => AddressKind;
type Allowed = "any" | "public and private" | "public";

/**
 * Connections to model sources. A catalog comes from outside, so it must not make this computer call services on
 * itself or, through a redirect, in its network.
 */
export class SourceConnection {
  readonly #secure: https.Agent;
  readonly #plain: http.Agent;
  readonly #allowed: Allowed;
  readonly #kindOf: KindOf;

  constructor(allowed: Allowed, kindOf: KindOf) {
    const options = { keepAlive: true, maxSockets: 4, timeout: 60_000, lookup: this.#lookup };
    this.#allowed = allowed;
    this.#kindOf = kindOf;
    this.#secure = new https.Agent(options);
    this.#plain = new http.Agent(options);
  }

  /** Sends the request. Throws ForbiddenAddress for a forbidden literal address; for a name, the request emits it. */
  get(url: URL, options: http.RequestOptions): http.ClientRequest {
    const literal = url.hostname.replace(/^\[(.*)\]$/, "$1");
    // Node looks up names only.
    if (isIP(literal) !== 0 && !this.#isAllowed(literal)) throw this.#refusal(literal);
    return url.protocol === "https:"
      ? https.get(url, { ...options, agent: this.#secure })
      : http.get(url, { ...options, agent: this.#plain });
  }

  close(): void {
    this.#secure.destroy();
    this.#plain.destroy();
  }

  /** The address that is judged is the one that is connected: nothing looks the name up again. */
  readonly #lookup: LookupFunction = (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      const allowed = error === null ? found.filter(({ address }) => this.#isAllowed(address)) : [];
      const [first] = allowed;
      if (error !== null) callback(error, []);
      else if (first === undefined) callback(this.#refusal(found[0]?.address ?? hostname), []);
      else if (options.all === true) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };

  #isAllowed(address: string): boolean {
    const kinds: Readonly<Record<Allowed, readonly AddressKind[]>> = {
      any: ["public", "private", "forbidden"],
      "public and private": ["public", "private"],
      public: ["public"],
    };
    return kinds[this.#allowed].includes(this.#kindOf(address));
  }

  #refusal(address: string): ForbiddenAddress {
    return new ForbiddenAddress(
      this.#kindOf(address) === "private"
        ? `It redirects from the internet to ${address}, an address in the local network.`
        : `It is at ${address}: this computer, or an address without a network.`,
    );
  }
}
