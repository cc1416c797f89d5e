/// <reference types="node" />
"use node";

import { lookup, type LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";
import { isPrivateIp } from "../model/webhooks/address.ts";

/** A name that leads into a private network. */
export class PrivateAddress extends Error {}

/**
 * Finds the addresses of a name, and refuses a name that leads into a private network. The call connects to just these
 * addresses, so that a name cannot lead elsewhere a moment later.
 */
export const lookupPublic: LookupFunction = (name, options, done) => {
  lookup(name, { ...options, all: true }, (error, found: LookupAddress[]) => {
    if (error !== null) {
      done(error, []);
      return;
    }
    if (found.length === 0 || found.some(({ address }) => isPrivateIp(address))) {
      done(new PrivateAddress(name), []);
      return;
    }
    const [first] = found;
    if (options.all === true || first === undefined) {
      done(null, found);
      return;
    }
    done(null, first.address, first.family);
  });
};
