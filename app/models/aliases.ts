/** The alias for requests that name no model. An organization without it refuses them. */
export const defaultAlias = "default";
