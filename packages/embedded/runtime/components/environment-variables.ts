/** Reads the variables. Called at each access, since an admin may change them while functions run. */
export type EnvironmentVariables = () => { readonly [name: string]: string };
