import { type Connection, followConnection, notConnected } from "@gleaner/queue/worker";
import { type Refusal, refusedFor, type Reply } from "../../../app/contract/donor-calls.ts";
import type { DonorProblem } from "../../../app/contract/membership.ts";
import type { Facts } from "../../../app/facts/facts.ts";
import type { DonorOptions } from "../donor-options.ts";
import { ConnectionGrace } from "./connection-grace.ts";
import { Enrollment } from "./enrollment.ts";
import { connectProblem, joinProblem } from "./join-problem.ts";
import { hasOtherKey, Member, membershipOf } from "./member.ts";
import type { OpenedOrganization } from "./open-organization.ts";
import { isInService, type Me } from "./organization.ts";

type MembershipDeps = {
  readonly options: Pick<DonorOptions, "backend" | "name" | "log">;
  readonly opened: OpenedOrganization;
  /** The connection was made or lost. */
  readonly onConnection: () => void;
  /** The organization's view of this device has changed. */
  readonly onMember: (me: Me | null) => void;
  /** This device has just enrolled, or was enrolled before its start. */
  readonly onEnrolled: () => void;
  /** Something of `facts` or `problem` may have changed. */
  readonly wake: (reason: "connection" | "enrollment") => void;
};

/** This device's place in its organization: the connection, the enrollment, and what hinders either. */
export class Membership {
  readonly #deps: MembershipDeps;
  readonly #grace: ConnectionGrace;
  readonly #member: Member;
  readonly #enrollment: Enrollment;
  #connection: Connection = notConnected;
  #unfollow: () => void = () => undefined;

  constructor(deps: MembershipDeps) {
    this.#deps = deps;
    const { opened, options, wake } = deps;
    this.#grace = new ConnectionGrace(() => wake("connection"));
    this.#member = new Member(opened.organization, () => this.#memberChanged());
    this.#enrollment = new Enrollment({
      ...opened,
      name: options.name,
      server: options.backend.url,
      unreachable: () => this.#unreachable(),
      onEnrolled: () => {
        this.#enrolled();
        wake("enrollment");
      },
      onRefusedCode: () => wake("enrollment"),
      log: options.log,
    });
  }

  /** Follows the connection, and the organization if this device belongs to one. Calls nothing before. */
  start(): void {
    const { opened, wake } = this.#deps;
    opened.link.onChange(() => wake("connection"));
    this.#unfollow = followConnection(opened.client, (next) => {
      this.#connection = next;
      this.#grace.update(next);
      this.#deps.onConnection();
    });
    if (this.#isEnrolled) this.#enrolled();
  }

  stop(): void {
    this.#grace.stop();
    this.#member.stop();
    this.#unfollow();
  }

  /** The organization's view of this device. Null before its first answer, and if it does not know the device. */
  get me(): Me | null {
    return this.#member.me;
  }

  get isConnected(): boolean {
    return this.#connection.connected;
  }

  /** Whether it is known if this device belongs to an organization. */
  get isKnown(): boolean {
    return this.#member.me !== null || this.#member.unknownHere || !this.#isEnrolled;
  }

  /** Whether the queue may get results of this device: it would refuse those that it cannot verify. */
  get isWanted(): boolean {
    return isInService(this.me) && this.me?.signingKey === this.#publicKey;
  }

  get facts(): Pick<Facts, "connection" | "membership"> {
    const { identity, link } = this.#deps.opened;
    const { fact } = this.#grace;
    return {
      connection: fact === "offline" && link.failure?.kind === "wrong-key" ? "wrong-server" : fact,
      membership: membershipOf(identity.current().enrollment, this.#member, this.#publicKey),
    };
  }

  /** Why this computer cannot join or reach its organization. Null if nothing is wrong. */
  get problem(): DonorProblem | null {
    const { identity, link } = this.#deps.opened;
    const { backend } = this.#deps.options;
    const { membership } = this.facts;
    return joinProblem({
      url: backend.url,
      isEnrolled: membership !== "none",
      isOffline: this.#grace.fact === "offline",
      failure: link.failure,
      hasOtherKey: membership === "other-key",
      refusedCode: this.#enrollment.refusedCode,
      damagedFile: identity.damagedFile,
      hasCode: backend.hasCode,
    });
  }

  enroll(code: string): Promise<Reply> {
    return this.#enrollment.enroll(code);
  }

  get #isEnrolled(): boolean {
    return this.#deps.opened.identity.current().enrollment !== null;
  }

  get #publicKey(): string {
    return this.#deps.opened.identity.current().signer.publicKey;
  }

  #unreachable(): Refusal | null {
    if (this.isConnected) return null;
    const { options, opened } = this.#deps;
    const { failure } = opened.link;
    if (failure === null) return refusedFor("not-connected");
    const { sentence, said } = connectProblem(failure, options.backend.url, this.facts.membership !== "none");
    return { kind: "refused", message: sentence, sentence: said };
  }

  #enrolled(): void {
    this.#member.enrolled();
    this.#deps.onEnrolled();
  }

  #memberChanged(): void {
    const { me } = this;
    if (me !== null) {
      void this.#enrollment.remember(me);
      if (me.signingKey === null && me.status !== "retired") void this.#enrollment.registerSigningKey();
      if (hasOtherKey(me, this.#publicKey)) {
        this.#deps.options.log("error", "signing-key.differs", { use: "gleaner donate --rejoin" });
      }
    }
    this.#deps.onMember(me);
  }
}
