import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { AssistantConnections, connectionSecondsMax } from "@sarraf/domain/assistants/AssistantConnections"
import { assistantScope } from "@sarraf/domain/assistants/AssistantPrincipal"
import { OauthArtifacts } from "@sarraf/domain/assistants/OauthArtifacts"
import { Unavailable } from "@sarraf/domain/errors/Unavailable"
import { personAsCaller, type SignInRefused } from "@sarraf/domain/organizations/BeginSession"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { mustEnrol } from "@sarraf/domain/organizations/SessionStore"
import { type KnownPerson, SignIn } from "@sarraf/domain/organizations/SignIn"
import { Fingerprints } from "@sarraf/domain/payments/Fingerprints"
import { Clock, Effect, Redacted, Schedule } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { errors, type InteractionResults, type Provider } from "oidc-provider"
import { GatewayMode } from "../auth/GatewayMode.ts"
import { Guesses } from "../auth/Guesses.ts"
import { withOrigin } from "../auth/origin.ts"
import { unstorablePath } from "../auth/unstorableText.ts"
import type { ServedRoute } from "../http/allowedMethods.ts"
import { formFields } from "../threeds/formFields.ts"
import { secretHeaders } from "../threeds/Page.ts"
import { AuthorizationServer } from "./AuthorizationServer.ts"
import { isDatabaseAway } from "./artifactAdapter.ts"
import { clientHostOf, isLoopback, redirectHostOf, redirectKindOf, shownName } from "./clientPolicy.ts"
import * as pages from "./pages.ts"
import {
  csrfOf,
  isCsrf,
  isPasswordMark,
  isPasswordProof,
  passwordMark,
  passwordProof,
  personOfProof
} from "./proofs.ts"

const path = "/connect/:uid"

/** Everything this layer serves; its failures are pages of its own. */
export const routes: ReadonlyArray<ServedRoute> = [
  ["GET", path, "page"],
  ["POST", path, "page"]
]

type Details = InstanceType<Provider["Interaction"]>
type Fields = Readonly<Record<string, string>>

/** A sign-in that is under way in this browser, and who asks for it. */
interface Open {
  readonly details: Details
  readonly asking: pages.Asking
  readonly clientId: string
}

/** Nothing is under way here, or in another browser. */
class Closed {
  readonly _tag = "Closed"
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

/** A host as a content security policy can name it; an IPv6 address it cannot. */
const sourceOf = (redirect: string): string => {
  const url = new URL(redirect)
  if (url.protocol !== "https:" && !isLoopback(url)) return url.protocol
  return url.hostname.startsWith("[") ? url.protocol : url.origin
}

const askingOf = (redirect: string, clientId: string, name: string | undefined): pages.Asking => {
  const clientHost = clientHostOf(clientId)
  return {
    name: shownName(name, clientHost ?? "an assistant without a name"),
    clientHost,
    redirectHost: redirectHostOf(redirect),
    redirectKind: redirectKindOf(redirect),
    redirectSource: sourceOf(redirect)
  }
}

/** The fields of a form; a body that is none has none, nor has one with a text that no database stores. */
const readForm = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const body = yield* Effect.catchTag(request.arrayBuffer, "HttpServerError", () => Effect.succeed(new ArrayBuffer(0)))
  const fields: Fields = formFields(new Uint8Array(body))
  return unstorablePath(JSON.stringify(fields)) === undefined ? fields : {}
})

/** One text for whatever is not right, so that it tells nothing; only who has the password hears of the code. */
const refusals = {
  credentials: "The e-mail address or the password is not right.",
  codeMissing: "Enter the code that your authenticator shows.",
  codeWrong: "This code is not right or was used before. Enter the next one.",
  codesSpent: "There were too many wrong codes. Wait some minutes, then enter the one that is shown."
} satisfies Record<SignInRefused["reason"], string>

const isWrong = ({ _tag, reason }: { readonly _tag: string; readonly reason?: string }) =>
  _tag === "SignInRefused" && reason !== "codeMissing"

const later = (status: 429 | 503) =>
  Effect.succeed(HttpServerResponse.setHeader(pages.laterPage(status), "retry-after", "5"))

interface Exchange {
  // HTTP/2 is not served, and differs in its type alone.
  readonly req: Parameters<Provider["createContext"]>[0]
  readonly res: Parameters<Provider["createContext"]>[1]
}

/** The library's side of a sign-in: its cookie names the one that is under way. */
const makeLibrary = (provider: Provider) => {
  const exchange = Effect.map(
    HttpServerRequest.HttpServerRequest,
    (request): Exchange => ({
      req: NodeHttpServerRequest.toIncomingMessage(request) as Exchange["req"],
      res: NodeHttpServerRequest.toServerResponse(request) as Exchange["res"]
    })
  )
  const failureOf = (error: unknown) => {
    // The document of a client may not be there just now.
    if (isDatabaseAway(error) || error instanceof errors.InvalidClient) return new Unavailable()
    return error instanceof errors.SessionNotFound ? new Closed() : { _tag: "Broken" as const, error }
  }
  const attempt = <A>(evaluate: () => Promise<A>) =>
    Effect.tryPromise({ try: evaluate, catch: failureOf }).pipe(
      Effect.catchTag("Broken", ({ error }) => Effect.die(error))
    )

  const find = Effect.gen(function* () {
    const { uid = "" } = yield* HttpRouter.params
    const { req, res } = yield* exchange
    const details = yield* attempt(() => provider.interactionDetails(req, res))
    if (details.uid !== uid) return yield* Effect.fail(new Closed())
    const clientId = textOf(details.params.client_id)
    const client = yield* attempt(() => provider.Client.find(clientId))
    const redirect = textOf(details.params.redirect_uri)
    if (client === undefined || !URL.canParse(redirect)) return yield* Effect.fail(new Closed())
    return { details, clientId, asking: askingOf(redirect, clientId, client.clientName) } satisfies Open
  })

  /**
   * Somebody else was signed in here before, or is since, in another tab: what is theirs is not mixed with what is to come.
   * The library would ask them to sign out, on a page that there is not.
   */
  const leaveFormer = async ({ req, res }: Exchange, details: Details, accountId: string) => {
    const { cookies } = provider.createContext(req, res)
    const id = cookies.get(provider.cookieName("session"), { signed: true })
    const former = id === undefined ? undefined : await provider.Session.find(id)
    if (former?.accountId !== undefined && former.accountId !== accountId) await former.destroy()
    if (details.session === undefined || details.session.accountId === accountId) return
    details.session = undefined
    await details.persist()
  }

  /** Goes on with the request, on the host that the browser is at. */
  const goOn = (returnTo: string) =>
    HttpServerResponse.empty({
      status: 303,
      headers: { ...secretHeaders, location: new URL(returnTo).pathname }
    })
  const finish = (result: InteractionResults, isMerged = false) =>
    Effect.gen(function* () {
      const { req, res } = yield* exchange
      const options = { mergeWithLastSubmission: isMerged }
      return goOn(yield* attempt(() => provider.interactionResult(req, res, result, options)))
    })

  const grant = (accountId: string, clientId: string, resources: ReadonlyArray<string>) =>
    attempt(async () => {
      const made = new provider.Grant({ accountId, clientId })
      // Of these it has what was asked for.
      made.addOIDCScope(`openid offline_access ${assistantScope}`)
      for (const resource of resources) made.addResourceScope(resource, assistantScope)
      return await made.save()
    })

  return {
    find,
    finish,
    goOn,
    grant,
    leaveFormer: (details: Details, accountId: string) =>
      Effect.flatMap(exchange, (both) => attempt(() => leaveFormer(both, details, accountId)))
  }
}

/** Organizations as they are offered: one that demands a second factor is not for who has none. */
const choicesOf = ({ memberships, person }: KnownPerson): ReadonlyArray<pages.Choice> =>
  memberships.map((membership) => ({
    organizationId: membership.organizationId,
    name: membership.organizationName,
    role: membership.role,
    obstacle: mustEnrol({ membership, hasSecondFactor: person.secondFactor !== null })
      ? "Demands a second factor: set one up in Sarraf first"
      : undefined
  }))

/** The steps of a sign-in, each of which answers with the next page or goes on. */
const makeSteps = Effect.gen(function* () {
  const { issuer, mcpUrl, provider } = yield* AuthorizationServer
  const connections = yield* AssistantConnections
  const artifacts = yield* OauthArtifacts
  const ways = yield* SignIn
  const guesses = yield* Guesses
  const fingerprints = yield* Fingerprints
  const { livemode } = yield* GatewayMode
  const library = makeLibrary(provider)
  const host = new URL(issuer).host

  const formOf = ({ asking, details }: Open) => ({ asking, host, csrf: csrfOf(fingerprints, details.uid) })
  /** Who has signed in for this request a moment ago, with the password that is still theirs. */
  const whoConsents = ({ details }: Open) =>
    Effect.flatMap(ways.find(details.session?.accountId ?? "", livemode), (found) =>
      found === undefined || !isPasswordMark(fingerprints, found.person, textOf(details.lastSubmission?.passwordMark))
        ? Effect.fail(new Closed())
        : Effect.succeed(found)
    )

  /**
   * Of several answers to one question the first counts; the others go where it leads, since a browser shows what the last
   * click brings. Where nothing came of the first, the person signs in again.
   */
  const once = Effect.fnUntraced(function* <A, E, R>({ details }: Open, answer: Effect.Effect<A, E, R>) {
    const key = { model: "Interaction", id: details.uid }
    if (yield* artifacts.consume(key)) return yield* answer
    const isAnswered = Effect.map(artifacts.find(key), (payload) => payload?.result !== undefined)
    yield* Effect.repeat(isAnswered, {
      until: (answered) => answered,
      schedule: Schedule.spaced("100 millis"),
      times: 30
    })
    return library.goOn(details.returnTo)
  })

  const consentPage = (open: Open, known: KnownPerson, wrong?: string) =>
    pages.consentPage({
      ...formOf(open),
      ...(wrong === undefined ? {} : { wrong, status: 400 }),
      email: known.person.email,
      choices: choicesOf(known),
      days: connectionSecondsMax / 86_400
    })

  const show = Effect.fnUntraced(function* (open: Open) {
    if (open.details.prompt.name === "consent") return consentPage(open, yield* whoConsents(open))
    const email = textOf(open.details.params.login_hint).slice(0, 254)
    return pages.signInPage({ ...formOf(open), email })
  })

  const signedIn = Effect.fnUntraced(function* ({ details }: Open, { person }: KnownPerson) {
    yield* library.leaveFormer(details, person.id)
    return yield* library.finish({
      login: { accountId: person.id, remember: false },
      passwordMark: passwordMark(fingerprints, person)
    })
  })

  const comparePassword = Effect.fnUntraced(function* (open: Open, { email = "", password = "" }: Fields) {
    const compared = ways.comparePassword({ email, password: Redacted.make(password), livemode })
    return yield* withOrigin(guesses.count(compared, isWrong)).pipe(
      Effect.flatMap((known) =>
        known.person.secondFactor === null
          ? signedIn(open, known)
          : Effect.map(Clock.currentTimeMillis, (now) => {
              const proof = passwordProof(fingerprints, open.details.uid, known.person, now)
              return pages.codePage({ ...formOf(open), email: known.person.email, proof })
            })
      ),
      Effect.catchTag("SignInRefused", ({ reason }) =>
        Effect.succeed(pages.signInPage({ ...formOf(open), email, wrong: refusals[reason], status: 403 }))
      )
    )
  })

  const compareCode = Effect.fnUntraced(function* (open: Open, { code = "", proof = "" }: Fields) {
    const known = yield* ways.find(personOfProof(proof), livemode)
    const now = yield* Clock.currentTimeMillis
    if (known === undefined || !isPasswordProof(fingerprints, open.details.uid, known.person, proof, now)) {
      const wrong = "That took too long. Sign in again."
      return pages.signInPage({ ...formOf(open), email: "", wrong, status: 403 })
    }
    const compared = ways.compareCode(known.person, Redacted.make(code.replaceAll(" ", "")))
    return yield* withOrigin(guesses.count(compared, isWrong)).pipe(
      Effect.andThen(signedIn(open, known)),
      Effect.catchTag("SignInRefused", ({ reason }) => {
        const { email } = known.person
        return Effect.succeed(pages.codePage({ ...formOf(open), email, proof, wrong: refusals[reason], status: 403 }))
      })
    )
  })

  /** In the name of who consents. What the assistant cannot be told of is not left behind. */
  const connect = Effect.fnUntraced(function* ({ asking, clientId, details }: Open, personId: string) {
    const asked = [details.params.resource].flat().filter((resource) => typeof resource === "string")
    const grantId = yield* library.grant(personId, clientId, asked.length === 0 ? [mcpUrl] : asked)
    const { name: clientName, redirectHost } = asking
    const { id } = yield* connections.open({ grantId, clientId, clientName, redirectHost })
    return yield* library
      .finish({ consent: { grantId } }, true)
      .pipe(Effect.onError(() => Effect.ignore(connections.revoke(id))))
  })

  const allow = Effect.fnUntraced(function* (open: Open, { organization_id }: Fields) {
    const known = yield* whoConsents(open)
    const { memberships, person } = known
    const choice = choicesOf(known).find(({ organizationId }) => organizationId === organization_id)
    const membership = memberships.find(({ organizationId }) => organizationId === choice?.organizationId)
    if (choice === undefined || membership === undefined) {
      return consentPage(open, known, "Choose the organization that it may read.")
    }
    if (choice.obstacle !== undefined) return consentPage(open, known, `${choice.name}: ${choice.obstacle}.`)
    return yield* once(
      open,
      withOrigin(connect(open, person.id)).pipe(Effect.provideService(Caller, personAsCaller(person.id, membership)))
    )
  })

  const deny = (open: Open) =>
    once(open, library.finish({ error: "access_denied", error_description: "the person did not allow it" }))

  const answer = Effect.fnUntraced(function* (open: Open) {
    const fields = yield* readForm
    if (!isCsrf(fingerprints, open.details.uid, fields.csrf ?? "")) return pages.foreignPage()
    const { decision } = fields
    if (decision === "deny") return yield* deny(open)
    const isConsent = open.details.prompt.name === "consent"
    // Without a result the request begins anew, with the password.
    if (isConsent && decision === "other") return yield* once(open, library.finish({}))
    if (isConsent) return yield* decision === "allow" ? allow(open, fields) : show(open)
    return yield* decision === "code" ? compareCode(open, fields) : comparePassword(open, fields)
  })
  return { find: library.find, show, answer }
})

/**
 * Where people sign in and consent: `GET /connect/{uid}` shows the step that a request of an assistant is at, and changes
 * nothing; the form's POST takes it. Without the cookie of the browser that began, the page is closed.
 */
export const layer = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const { answer, find, show } = yield* makeSteps
    const failures = {
      Closed: () => Effect.succeed(pages.closedPage()),
      Unavailable: () => later(503)
    }
    yield* router.add("GET", path, Effect.catchTags(Effect.flatMap(find, show), failures))
    yield* router.add(
      "POST",
      path,
      Effect.catchTags(Effect.flatMap(find, answer), {
        ...failures,
        RATE_LIMITED: () => later(429),
        // Whoever may consent has this right in every role.
        Forbidden: () => Effect.succeed(pages.foreignPage()),
        RoleMissing: () => Effect.succeed(pages.foreignPage())
      })
    )
  })
)
