import { setTimeout as pause } from "node:timers/promises"
import type { Answered } from "./ClientRecord.ts"
import type { Gateway, Request } from "./Gateway.ts"
import { authorizationBody, type Manner, operationBody, type Step, type Story } from "./story.ts"

type Answer = Omit<Answered, "at">

/** Between two tries of a request that was not answered or came too early, in milliseconds. */
const pauseMillis = 400
/** Tries of a request whose outcome the gateway does not know yet: it settles that by itself. */
const unsettledTries = 2
const visitTries = 4

/** What is tried again: nothing came back, nothing was begun, or another try is still at work. */
const comesTooEarly = ({ code, status }: Answer): boolean =>
  status === null ||
  status === 500 ||
  status === 503 ||
  (status === 409 && (code === "OPERATION_IN_PROGRESS" || code === "IDEMPOTENCY_IN_PROGRESS"))

const isUnsettled = ({ status }: Answer): boolean => status === 504 || status === 202

/** Plays stories until it is over; what is under way then gets no further requests. */
export const makePlayer = (gateway: Gateway, isOver: () => boolean, expiryYear: number) => {
  /** The answer that stays, or the last one before the time was over. */
  const persist = async (request: Request): Promise<Answer | undefined> => {
    let answer: Answer | undefined
    for (let unsettled = 0; !isOver(); ) {
      answer = await gateway.send(request)
      if (isUnsettled(answer) && ++unsettled >= unsettledTries) return answer
      if (!comesTooEarly(answer) && !isUnsettled(answer)) return answer
      await pause(pauseMillis)
    }
    return answer
  }

  const send = async (request: Request, { hangUpAfter, isRepeated, isTwice }: Manner): Promise<Answer | undefined> => {
    if (isOver()) return undefined
    if (hangUpAfter !== null) await gateway.hangUp(request, hangUpAfter)
    const [answer] = await Promise.all([persist(request), ...(isTwice ? [persist(request)] : [])])
    if (isRepeated && !isOver()) await gateway.send(request)
    return answer
  }

  const visitIssuer = async (url: string, { buyer, name }: Story, paymentId: string): Promise<void> => {
    for (let tries = 0; tries < visitTries && !isOver(); tries++) {
      if (await gateway.visit(url, buyer, { story: name, paymentId })) return
      await pause(pauseMillis)
    }
  }

  const requestOf = (story: Story, step: Step, paymentId: string, index: number): Request => ({
    story: story.name,
    asked: step.type,
    key: step.type === "find" ? null : `${story.name}-${index}-${step.type}`,
    paymentId,
    minor: "minor" in step ? step.minor : null,
    currency: story.currency,
    body: step.type === "find" ? undefined : operationBody(step)
  })

  const find = (story: Story, paymentId: string) => persist(requestOf(story, { type: "find" }, paymentId, 0))

  return async (story: Story): Promise<void> => {
    const request: Request = {
      story: story.name,
      asked: "authorize",
      key: `${story.name}-authorize`,
      paymentId: null,
      minor: story.minor,
      currency: story.currency,
      body: authorizationBody(story, expiryYear)
    }
    let answer = await send(request, story.authorize)
    if (story.isReferenceRepeated && !isOver()) await gateway.send({ ...request, key: `${story.name}-again` })
    const payment = answer?.told
    if (payment === undefined || payment === null) return
    const { transactionId } = payment
    if (payment.status === "REQUIRES_ACTION") {
      const url = nextUrlOf(payment)
      if (url !== undefined) await visitIssuer(url, story, transactionId)
      answer = await find(story, transactionId)
    }
    const status = answer?.told?.status
    if (status === "PENDING" && story.voidsWhatIsPending) {
      const manner = story.authorize
      await send(requestOf(story, { type: "void", manner }, transactionId, 99), manner)
      return
    }
    if (status !== "AUTHORIZED") return
    for (const [index, step] of story.steps.entries()) {
      const stepRequest = requestOf(story, step, transactionId, index)
      const done = await (step.type === "find" ? persist(stepRequest) : send(stepRequest, step.manner))
      if (done?.status !== 200) return
    }
  }
}

/** Where the buyer is sent; undefined for a payment that needs no buyer. */
const nextUrlOf = (payment: object): string | undefined => {
  if (!("nextAction" in payment)) return undefined
  const { nextAction } = payment
  return typeof nextAction === "object" && nextAction !== null && "url" in nextAction
    ? String(nextAction.url)
    : undefined
}
