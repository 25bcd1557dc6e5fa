import { parseArgs } from "node:util"
import { migrate } from "@sarraf/adapters/postgres/migrate"
import { makeRegistry } from "@sarraf/adapters/postgres/PaymentClientRegistry"
import { toDecimal } from "@sarraf/domain/money/Money"
import { GatewayCaller } from "@sarraf/domain/organizations/GatewayCaller"
import { differences, isSettled } from "@sarraf/domain/payments/BookComparison"
import { FollowUps } from "@sarraf/domain/payments/FollowUps"
import type { Payment } from "@sarraf/domain/payments/Payment"
import { PaymentProviders } from "@sarraf/domain/payments/PaymentProvider"
import { statusOf } from "@sarraf/domain/payments/PaymentStatus"
import { PaymentStore } from "@sarraf/domain/payments/PaymentStore"
import { authorizationOf, query } from "@sarraf/domain/payments/ProviderCalls"
import { CannotResolve, type Resolution, resolutions, resolveReview } from "@sarraf/domain/payments/ResolveReview"
import { Clock, Console, Effect, Layer } from "effect"
import { runCommand } from "./command.ts"
import * as Gateway from "./gateway.ts"
import * as Installation from "./installation.ts"

const help = `What the gateway's own reconciler leaves to a person, on the database of this installation.

  npm run reconcile -- --review                        payments that need a person, and why
  npm run reconcile -- --resolve txn_… --as authorized|failed|succeeded|seen --evidence TEXT [--by NAME]
                                                       settles one by your word, with the evidence in the audit trail:
                                                       its authorization (authorized, failed), its open capture, refund
                                                       or void (succeeded, failed), or just the review (seen)
  npm run reconcile -- --report [--days 7]             asks the providers about every payment of these days and lists
                                                       each difference to our books; exit code 2 where there is one

Nothing is settled by --review and --report.`

const amountOf = ({ money: { currency, minor } }: Payment): string => `${toDecimal(currency, minor)} ${currency}`

const review = Effect.gen(function* () {
  const store = yield* PaymentStore
  let count = 0
  for (const { caller, paymentId } of yield* (yield* FollowUps).reviews) {
    const payment = yield* Effect.provideService(store.find(paymentId), GatewayCaller, caller)
    if (payment.needsReview === null) continue
    count++
    const { clientId, organizationId } = caller
    const attempts = payment.attempts.map(({ outcome, provider, reference }) => `${provider} ${reference} ${outcome}`)
    yield* Console.log(`${paymentId}  ${organizationId}  ${clientId}  ${statusOf(payment)}  ${amountOf(payment)}`)
    yield* Console.log(`  why: ${payment.needsReview}\n  attempts: ${attempts.join(", ")}`)
  }
  yield* Console.log(count === 0 ? "No payment needs a person." : `${count} in all.`)
})

/** Whose payments there are. */
const callers = (livemode: boolean) =>
  Effect.gen(function* () {
    const clients = yield* (yield* makeRegistry).list
    const found = new Map(
      clients
        .filter(({ is_sandbox }) => is_sandbox !== livemode)
        .map(({ client_id, organization_id }) => [
          client_id,
          { organizationId: organization_id, clientId: client_id, livemode }
        ])
    )
    return [...found.values()]
  })

const findCaller = Effect.fnUntraced(function* (paymentId: string, livemode: boolean) {
  const store = yield* PaymentStore
  for (const caller of yield* callers(livemode)) {
    const found = yield* Effect.option(Effect.provideService(store.find(paymentId), GatewayCaller, caller))
    if (found._tag === "Some") return caller
  }
  return yield* new CannotResolve({ message: `There is no payment ${paymentId}.` })
})

const resolve = Effect.fnUntraced(function* (
  paymentId: string,
  as: string,
  evidence: string,
  operator: string,
  livemode: boolean
) {
  const resolution = resolutions.find((one): one is Resolution => one === as)
  if (resolution === undefined) {
    return yield* new CannotResolve({ message: `--as takes one of ${resolutions.join(", ")}.` })
  }
  if (evidence.trim() === "") {
    return yield* new CannotResolve({ message: "--evidence says what shows it: a statement's line, a case number." })
  }
  const caller = yield* findCaller(paymentId, livemode)
  const resolved = resolveReview({ paymentId, as: resolution, evidence, operator })
  const after = yield* Effect.provideService(resolved, GatewayCaller, caller)
  yield* Console.log(`${paymentId} is ${statusOf(after)}.`)
})

const pageSize = 100
const questionMillis = 25_000
const questionsAtOnce = 8

/** The differences of one payment, a line each. */
const compareOne = Effect.fnUntraced(function* (payment: Payment) {
  const providers = yield* PaymentProviders
  const lines: Array<string> = []
  for (const attempt of payment.attempts) {
    const provider = providers.get(attempt.provider)
    if (provider === undefined || !provider.capabilities.query.byReference) continue
    const finding = yield* query(provider, authorizationOf(payment, attempt), questionMillis)
    lines.push(
      ...differences(payment, attempt, finding).map((text) => `${attempt.provider} ${attempt.reference}: ${text}`)
    )
  }
  return lines.map((line) => `${payment.id}  ${amountOf(payment)}  ${line}`)
})

const isAskable = (providers: PaymentProviders["Service"], payment: Payment): boolean =>
  payment.attempts.some(({ provider }) => providers.get(provider)?.capabilities.query.byReference === true)

const report = Effect.fnUntraced(function* (days: number, livemode: boolean) {
  const store = yield* PaymentStore
  const providers = yield* PaymentProviders
  const from = (yield* Clock.currentTimeMillis) - days * 86_400_000
  const seen = { compared: 0, open: 0, unaskable: 0, differing: 0 }
  for (const caller of yield* callers(livemode)) {
    let before: string | undefined
    for (;;) {
      const filter = { from, limit: pageSize, ...(before === undefined ? {} : { before }) }
      const page = yield* Effect.provideService(store.list(filter), GatewayCaller, caller)
      const settled = page.filter(isSettled)
      const askable = settled.filter((payment) => isAskable(providers, payment))
      const found = yield* Effect.forEach(askable, compareOne, { concurrency: questionsAtOnce })
      for (const line of found.flat()) yield* Console.log(line)
      seen.compared += askable.length
      seen.open += page.length - settled.length
      seen.unaskable += settled.length - askable.length
      seen.differing += found.filter((lines) => lines.length > 0).length
      before = page.at(-1)?.id
      if (page.length < pageSize) break
    }
  }
  yield* Console.log(
    `${seen.compared} compared, ${seen.differing} differ; ${seen.open} not settled yet, ${seen.unaskable} at providers that cannot be asked.`
  )
  if (seen.differing > 0) process.exitCode = 2
})

const options = {
  review: { type: "boolean" },
  resolve: { type: "string" },
  as: { type: "string" },
  evidence: { type: "string" },
  by: { type: "string" },
  report: { type: "boolean" },
  days: { type: "string" }
} as const

const run = Effect.fn("reconcile")(function* (args: ReadonlyArray<string>, livemode: boolean) {
  const { values } = yield* Effect.try({
    try: () => parseArgs({ args: [...args], options }),
    catch: (error) => new CannotResolve({ message: error instanceof Error ? error.message : help })
  })
  if (values.review === true) return yield* review
  if (values.resolve !== undefined) {
    return yield* resolve(values.resolve, values.as ?? "", values.evidence ?? "", values.by ?? "operator", livemode)
  }
  const days = Number(values.days ?? "7")
  if (values.report !== true) return yield* new CannotResolve({ message: help })
  if (!Number.isInteger(days) || days < 1) {
    return yield* new CannotResolve({ message: "--days takes a whole number from 1." })
  }
  return yield* report(days, livemode)
})

runCommand(help, (args, configuration) => {
  const { baseUrl, mode, port } = configuration
  const localUrl = `http://127.0.0.1:${port}`
  const foundation = Gateway.foundation(
    configuration,
    { baseUrl: baseUrl ?? localUrl, localUrl },
    () => () => Effect.void
  )
  return Effect.andThen(migrate, Effect.provide(run(args, mode === "live"), foundation)).pipe(
    Effect.provide(Layer.fresh(Installation.layer(configuration)))
  )
})
