/* eslint-disable */
/**
 * Generated `api` utility.
 *
 * THIS CODE IS AUTOMATICALLY GENERATED.
 *
 * To regenerate, run `npx convex dev`.
 * @module
 */

import type {
  ApiFromModules,
  FilterApi,
  FunctionReference,
} from "convex/server";
import type * as afterRestore from "../afterRestore.js";
import type * as console_account from "../console/account.js";
import type * as console_audit from "../console/audit.js";
import type * as console_codes from "../console/codes.js";
import type * as console_devices from "../console/devices.js";
import type * as console_jobs from "../console/jobs.js";
import type * as console_keys from "../console/keys.js";
import type * as console_models from "../console/models.js";
import type * as console_overview from "../console/overview.js";
import type * as console_people from "../console/people.js";
import type * as console_policy from "../console/policy.js";
import type * as console_queue from "../console/queue.js";
import type * as console_statistics from "../console/statistics.js";
import type * as crons from "../crons.js";
import type * as devices from "../devices.js";
import type * as http from "../http.js";
import type * as jobs from "../jobs.js";
import type * as maintenance from "../maintenance.js";
import type * as metrics from "../metrics.js";
import type * as model_audit from "../model/audit.js";
import type * as model_authenticate from "../model/authenticate.js";
import type * as model_components from "../model/components.js";
import type * as model_deploymentUrl from "../model/deploymentUrl.js";
import type * as model_devices_arrivals from "../model/devices/arrivals.js";
import type * as model_devices_capabilities from "../model/devices/capabilities.js";
import type * as model_devices_enroll from "../model/devices/enroll.js";
import type * as model_devices_enrollmentCodes from "../model/devices/enrollmentCodes.js";
import type * as model_devices_history from "../model/devices/history.js";
import type * as model_devices_joinAddress from "../model/devices/joinAddress.js";
import type * as model_devices_labels from "../model/devices/labels.js";
import type * as model_devices_limits from "../model/devices/limits.js";
import type * as model_devices_pastAttempts from "../model/devices/pastAttempts.js";
import type * as model_devices_reliability from "../model/devices/reliability.js";
import type * as model_devices_report from "../model/devices/report.js";
import type * as model_devices_rows from "../model/devices/rows.js";
import type * as model_devices_service from "../model/devices/service.js";
import type * as model_devices_sharing from "../model/devices/sharing.js";
import type * as model_devices_signingKey from "../model/devices/signingKey.js";
import type * as model_devices_versions from "../model/devices/versions.js";
import type * as model_ledger_balance from "../model/ledger/balance.js";
import type * as model_ledger_check from "../model/ledger/check.js";
import type * as model_ledger_project from "../model/ledger/project.js";
import type * as model_ledger_reservations from "../model/ledger/reservations.js";
import type * as model_ledger_totals from "../model/ledger/totals.js";
import type * as model_ledger_transfer from "../model/ledger/transfer.js";
import type * as model_memberCalls from "../model/memberCalls.js";
import type * as model_models_catalog from "../model/models/catalog.js";
import type * as model_models_change from "../model/models/change.js";
import type * as model_models_endJobs from "../model/models/endJobs.js";
import type * as model_models_fleet from "../model/models/fleet.js";
import type * as model_models_organizationKey from "../model/models/organizationKey.js";
import type * as model_models_signCatalog from "../model/models/signCatalog.js";
import type * as model_orders_jobPages from "../model/orders/jobPages.js";
import type * as model_orders_jobRow from "../model/orders/jobRow.js";
import type * as model_orders_orders from "../model/orders/orders.js";
import type * as model_orders_retry from "../model/orders/retry.js";
import type * as model_organizations_apiKeys from "../model/organizations/apiKeys.js";
import type * as model_organizations_create from "../model/organizations/create.js";
import type * as model_organizations_keyRights from "../model/organizations/keyRights.js";
import type * as model_organizations_priorityPrices from "../model/organizations/priorityPrices.js";
import type * as model_organizations_queueDepth from "../model/organizations/queueDepth.js";
import type * as model_organizations_summary from "../model/organizations/summary.js";
import type * as model_people_find from "../model/people/find.js";
import type * as model_people_holdings from "../model/people/holdings.js";
import type * as model_people_invitations from "../model/people/invitations.js";
import type * as model_people_members from "../model/people/members.js";
import type * as model_people_owners from "../model/people/owners.js";
import type * as model_people_sessions from "../model/people/sessions.js";
import type * as model_people_signIn from "../model/people/signIn.js";
import type * as model_people_teams from "../model/people/teams.js";
import type * as model_policies_current from "../model/policies/current.js";
import type * as model_policies_save from "../model/policies/save.js";
import type * as model_queue from "../model/queue.js";
import type * as model_queueSettings from "../model/queueSettings.js";
import type * as model_rates from "../model/rates.js";
import type * as model_refuse from "../model/refuse.js";
import type * as model_requests_answer from "../model/requests/answer.js";
import type * as model_requests_checkWork from "../model/requests/checkWork.js";
import type * as model_requests_claims from "../model/requests/claims.js";
import type * as model_requests_needs from "../model/requests/needs.js";
import type * as model_requests_restriction from "../model/requests/restriction.js";
import type * as model_requests_signature from "../model/requests/signature.js";
import type * as model_requests_submit from "../model/requests/submit.js";
import type * as model_requests_vectorLength from "../model/requests/vectorLength.js";
import type * as model_requests_waits from "../model/requests/waits.js";
import type * as model_requests_watch from "../model/requests/watch.js";
import type * as model_restores from "../model/restores.js";
import type * as model_revocations from "../model/revocations.js";
import type * as model_signatures from "../model/signatures.js";
import type * as model_statistics_deviceCounts from "../model/statistics/deviceCounts.js";
import type * as model_statistics_ended from "../model/statistics/ended.js";
import type * as model_statistics_metrics from "../model/statistics/metrics.js";
import type * as model_statistics_report from "../model/statistics/report.js";
import type * as model_statistics_rollUp from "../model/statistics/rollUp.js";
import type * as model_statistics_seal from "../model/statistics/seal.js";
import type * as model_statistics_token from "../model/statistics/token.js";
import type * as model_validators from "../model/validators.js";
import type * as openai_answerForm from "../openai/answerForm.js";
import type * as openai_chatForm from "../openai/chatForm.js";
import type * as openai_completionForm from "../openai/completionForm.js";
import type * as openai_continueText from "../openai/continueText.js";
import type * as openai_embeddings from "../openai/embeddings.js";
import type * as openai_endpoint from "../openai/endpoint.js";
import type * as openai_errors from "../openai/errors.js";
import type * as openai_follow from "../openai/follow.js";
import type * as openai_jobPriority from "../openai/jobPriority.js";
import type * as openai_outcome from "../openai/outcome.js";
import type * as openai_readCall from "../openai/readCall.js";
import type * as openai_requestedJob from "../openai/requestedJob.js";
import type * as openai_respond from "../openai/respond.js";
import type * as openai_stream from "../openai/stream.js";
import type * as openai_textCalls from "../openai/textCalls.js";
import type * as requests from "../requests.js";
import type * as setup from "../setup.js";
import type * as work from "../work.js";

/**
 * A utility for referencing Convex functions in your app's API.
 *
 * Usage:
 * ```js
 * const myFunctionReference = api.myModule.myFunction;
 * ```
 */
declare const fullApi: ApiFromModules<{
  afterRestore: typeof afterRestore;
  "console/account": typeof console_account;
  "console/audit": typeof console_audit;
  "console/codes": typeof console_codes;
  "console/devices": typeof console_devices;
  "console/jobs": typeof console_jobs;
  "console/keys": typeof console_keys;
  "console/models": typeof console_models;
  "console/overview": typeof console_overview;
  "console/people": typeof console_people;
  "console/policy": typeof console_policy;
  "console/queue": typeof console_queue;
  "console/statistics": typeof console_statistics;
  crons: typeof crons;
  devices: typeof devices;
  http: typeof http;
  jobs: typeof jobs;
  maintenance: typeof maintenance;
  metrics: typeof metrics;
  "model/audit": typeof model_audit;
  "model/authenticate": typeof model_authenticate;
  "model/components": typeof model_components;
  "model/deploymentUrl": typeof model_deploymentUrl;
  "model/devices/arrivals": typeof model_devices_arrivals;
  "model/devices/capabilities": typeof model_devices_capabilities;
  "model/devices/enroll": typeof model_devices_enroll;
  "model/devices/enrollmentCodes": typeof model_devices_enrollmentCodes;
  "model/devices/history": typeof model_devices_history;
  "model/devices/joinAddress": typeof model_devices_joinAddress;
  "model/devices/labels": typeof model_devices_labels;
  "model/devices/limits": typeof model_devices_limits;
  "model/devices/pastAttempts": typeof model_devices_pastAttempts;
  "model/devices/reliability": typeof model_devices_reliability;
  "model/devices/report": typeof model_devices_report;
  "model/devices/rows": typeof model_devices_rows;
  "model/devices/service": typeof model_devices_service;
  "model/devices/sharing": typeof model_devices_sharing;
  "model/devices/signingKey": typeof model_devices_signingKey;
  "model/devices/versions": typeof model_devices_versions;
  "model/ledger/balance": typeof model_ledger_balance;
  "model/ledger/check": typeof model_ledger_check;
  "model/ledger/project": typeof model_ledger_project;
  "model/ledger/reservations": typeof model_ledger_reservations;
  "model/ledger/totals": typeof model_ledger_totals;
  "model/ledger/transfer": typeof model_ledger_transfer;
  "model/memberCalls": typeof model_memberCalls;
  "model/models/catalog": typeof model_models_catalog;
  "model/models/change": typeof model_models_change;
  "model/models/endJobs": typeof model_models_endJobs;
  "model/models/fleet": typeof model_models_fleet;
  "model/models/organizationKey": typeof model_models_organizationKey;
  "model/models/signCatalog": typeof model_models_signCatalog;
  "model/orders/jobPages": typeof model_orders_jobPages;
  "model/orders/jobRow": typeof model_orders_jobRow;
  "model/orders/orders": typeof model_orders_orders;
  "model/orders/retry": typeof model_orders_retry;
  "model/organizations/apiKeys": typeof model_organizations_apiKeys;
  "model/organizations/create": typeof model_organizations_create;
  "model/organizations/keyRights": typeof model_organizations_keyRights;
  "model/organizations/priorityPrices": typeof model_organizations_priorityPrices;
  "model/organizations/queueDepth": typeof model_organizations_queueDepth;
  "model/organizations/summary": typeof model_organizations_summary;
  "model/people/find": typeof model_people_find;
  "model/people/holdings": typeof model_people_holdings;
  "model/people/invitations": typeof model_people_invitations;
  "model/people/members": typeof model_people_members;
  "model/people/owners": typeof model_people_owners;
  "model/people/sessions": typeof model_people_sessions;
  "model/people/signIn": typeof model_people_signIn;
  "model/people/teams": typeof model_people_teams;
  "model/policies/current": typeof model_policies_current;
  "model/policies/save": typeof model_policies_save;
  "model/queue": typeof model_queue;
  "model/queueSettings": typeof model_queueSettings;
  "model/rates": typeof model_rates;
  "model/refuse": typeof model_refuse;
  "model/requests/answer": typeof model_requests_answer;
  "model/requests/checkWork": typeof model_requests_checkWork;
  "model/requests/claims": typeof model_requests_claims;
  "model/requests/needs": typeof model_requests_needs;
  "model/requests/restriction": typeof model_requests_restriction;
  "model/requests/signature": typeof model_requests_signature;
  "model/requests/submit": typeof model_requests_submit;
  "model/requests/vectorLength": typeof model_requests_vectorLength;
  "model/requests/waits": typeof model_requests_waits;
  "model/requests/watch": typeof model_requests_watch;
  "model/restores": typeof model_restores;
  "model/revocations": typeof model_revocations;
  "model/signatures": typeof model_signatures;
  "model/statistics/deviceCounts": typeof model_statistics_deviceCounts;
  "model/statistics/ended": typeof model_statistics_ended;
  "model/statistics/metrics": typeof model_statistics_metrics;
  "model/statistics/report": typeof model_statistics_report;
  "model/statistics/rollUp": typeof model_statistics_rollUp;
  "model/statistics/seal": typeof model_statistics_seal;
  "model/statistics/token": typeof model_statistics_token;
  "model/validators": typeof model_validators;
  "openai/answerForm": typeof openai_answerForm;
  "openai/chatForm": typeof openai_chatForm;
  "openai/completionForm": typeof openai_completionForm;
  "openai/continueText": typeof openai_continueText;
  "openai/embeddings": typeof openai_embeddings;
  "openai/endpoint": typeof openai_endpoint;
  "openai/errors": typeof openai_errors;
  "openai/follow": typeof openai_follow;
  "openai/jobPriority": typeof openai_jobPriority;
  "openai/outcome": typeof openai_outcome;
  "openai/readCall": typeof openai_readCall;
  "openai/requestedJob": typeof openai_requestedJob;
  "openai/respond": typeof openai_respond;
  "openai/stream": typeof openai_stream;
  "openai/textCalls": typeof openai_textCalls;
  requests: typeof requests;
  setup: typeof setup;
  work: typeof work;
}>;
export declare const api: FilterApi<
  typeof fullApi,
  FunctionReference<any, "public">
>;
export declare const internal: FilterApi<
  typeof fullApi,
  FunctionReference<any, "internal">
>;
