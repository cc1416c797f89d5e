const actions: Readonly<Record<string, string>> = {
  "organization.created": "Organization created",
  "sign-in-link.created": "Sign-in link created",
  "admin.signed-in": "Administrator signed in",
  "api-key.created": "API key created",
  "api-key.revoked": "API key revoked",
  "enrolment-code.created": "Enrollment code created",
  "enrolment-code.revoked": "Enrollment code revoked",
  "device.enrolled": "Device enrolled",
  "device.retired": "Device retired",
  "device.reinstated": "Device reinstated",
  "device.labelled": "Device groups changed",
  "job.canceled": "Job canceled",
  "lane.opened": "Lane opened",
  "lane.paused": "Lane paused",
  "lane.draining": "Lane draining",
  "dead-letter.retried": "Dead letter retried",
  "dead-letter.discarded": "Dead letter discarded",
  "dead-letters.retried": "Dead letters retried",
  "limit.set": "API key limits changed",
  "policy.changed": "Rules changed",
  "policy.restored": "Earlier rules restored",
  "model.added": "Model added",
  "model.changed": "Model changed",
  "model.retired": "Model retired",
  "model.reinstated": "Model reinstated",
};

const actors: Readonly<Record<string, string>> = {
  admin: "Administrator",
  setup: "Server setup",
  device: "Device",
};

/** Words for an audit action. An unknown action is shown as it is. */
export function actionWords(action: string): string {
  return actions[action] ?? action;
}

export function actorWords(actor: string): string {
  return actors[actor] ?? actor;
}
