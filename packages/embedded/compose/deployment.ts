import type { TokenVerifier } from "../auth/token-verifier.ts";
import type { LoadedComponents } from "../runtime/bundle/loaded-components.ts";
import { SchemaMismatchError } from "../runtime/checks/schema.ts";
import { FunctionsLoadError, type LoadedCode } from "../runtime/code/loaded-code.ts";
import type { FunctionRuntime } from "../runtime/function-runtime.ts";
import type { Bundle } from "../runtime/isolate/worlds.ts";
import type { LoadedNodeActions } from "../runtime/node/load-node-actions.ts";
import type { NodeBundle } from "../runtime/source/bundled-script.ts";
import { createTokenVerifier } from "./create-token-verifier.ts";

/** Code that is ready to run. */
export type Prepared = {
  readonly bundle: Bundle;
  readonly code: LoadedCode;
  readonly tokens: TokenVerifier;
};

type LoadNode = (bundle: NodeBundle) => Promise<LoadedNodeActions>;

/** The code of the deployment, which a deploy or a changed variable replaces while clients stay connected. */
export class Deployment {
  readonly #runtime: Pick<FunctionRuntime, "code">;
  readonly #loadNode: LoadNode;
  readonly #afterward: (() => Promise<void>)[] = [];
  #bundle: Bundle | null = null;
  #tokens = createTokenVerifier(null);
  #problem: string | null = null;
  #last: Promise<unknown> = Promise.resolve();

  /** @param loadNode loads "use node" modules; rejects with FunctionsLoadError. */
  constructor(runtime: Pick<FunctionRuntime, "code">, loadNode: LoadNode) {
    this.#runtime = runtime;
    this.#loadNode = loadNode;
  }

  /** Verifies users' tokens with the present auth.config.ts. */
  readonly tokens: Pick<TokenVerifier, "verify"> = { verify: (token) => this.#tokens.verify(token) };

  /** Why the functions cannot run; null if they can. */
  get problem(): string | null {
    return this.#problem;
  }

  /** The definitions of the present code. */
  get components(): LoadedComponents {
    return this.#runtime.code.components;
  }

  /** Adds what has to follow a deploy. */
  afterward(step: () => Promise<void>): void {
    this.#afterward.push(step);
  }

  /** Evaluates the modules of a bundle. Rejects with FunctionsLoadError or ModuleShapeError. */
  async prepare(bundle: Bundle): Promise<Prepared> {
    const node = bundle.node === null ? null : await this.#loadNode(bundle.node);
    const code = this.#runtime.code.load(bundle, node);
    const needsVariables = code.readsVariables();
    return {
      bundle,
      code,
      tokens: createTokenVerifier(code.components.app.modules.authConfig, needsVariables),
    };
  }

  /**
   * Runs a bundle at the start. If it cannot be loaded with the present variables, the deployment waits for others: `problem`
   * says what is wrong. Rejects with other failures, as `prepare` does.
   */
  async start(bundle: Bundle, mayWait: boolean): Promise<void> {
    try {
      const prepared = await this.prepare(bundle);
      this.#runtime.code.start(prepared.code);
      this.#use(prepared);
    } catch (error) {
      if (!mayWait || !(error instanceof FunctionsLoadError) || !error.needsVariables) throw error;
      this.#runtime.code.startWithout();
      this.#bundle = bundle;
      this.#problem = error.message;
    }
  }

  /** Throws SchemaMismatchError if stored documents do not fit. */
  check({ code }: Prepared): void {
    this.#runtime.code.check(code);
  }

  /** Replaces the code. Rejects with SchemaMismatchError if stored documents do not fit. */
  deploy(prepared: Prepared): Promise<void> {
    return this.#inOrder(() => this.#replace(prepared));
  }

  /** Evaluates the modules again, since a variable has changed. Those of a deploy, if one has begun. */
  reload(): Promise<void> {
    return this.#inOrder(() => this.#reload());
  }

  async #reload(): Promise<void> {
    if (this.#bundle === null) return;
    try {
      await this.#replace(await this.prepare(this.#bundle));
    } catch (error) {
      if (!(error instanceof FunctionsLoadError || error instanceof SchemaMismatchError)) throw error;
      if (this.#problem !== null) this.#problem = error.message;
      // A run that evaluates its modules anew fails as well, and nothing is left of the old value.
      this.#runtime.code.worlds.forget();
    }
  }

  async #replace(prepared: Prepared): Promise<void> {
    await this.#runtime.code.deploy(prepared.code);
    this.#use(prepared);
    for (const step of this.#afterward) await step();
  }

  #use({ bundle, tokens }: Prepared): void {
    this.#bundle = bundle;
    this.#tokens = tokens;
    this.#problem = null;
  }

  #inOrder(task: () => Promise<void>): Promise<void> {
    const done = this.#last.then(task);
    this.#last = done.catch(() => undefined);
    return done;
  }
}
