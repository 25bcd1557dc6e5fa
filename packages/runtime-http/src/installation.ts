import * as Database from "@sarraf/adapters/postgres/Database"
import { requireMigrated } from "@sarraf/adapters/postgres/migrate"
import { EncryptionKeys } from "@sarraf/adapters/signing/EncryptionKeys"
import { keyFromFolder } from "@sarraf/adapters/signing/KeyFile"
import { Effect, Layer } from "effect"
import type { Configuration } from "./configuration/Configuration.ts"

/** Connections of one process beside those of the group statements: the embedded server takes 60. */
const connectionsMax = 10

const database = ({ databaseUrl, dataDirectory }: Configuration) =>
  databaseUrl === undefined
    ? Database.layerEmbedded(dataDirectory, connectionsMax)
    : Database.layer({ url: databaseUrl, maxConnections: connectionsMax })

const encryptionKeys = ({ dataDirectory, encryptionKey, encryptionKeysOld }: Configuration) =>
  Layer.effect(
    EncryptionKeys,
    Effect.map(
      encryptionKey === undefined ? keyFromFolder(dataDirectory) : Effect.succeed(encryptionKey),
      (current) => ({ current, old: encryptionKeysOld })
    )
  )

/** What every program of an installation needs: its database and its keys. */
export const layer = (configuration: Configuration) =>
  Layer.merge(database(configuration), encryptionKeys(configuration))

/** The same for programs that leave the schema to the service: they do not start on that of another release. */
export const layerMigrated = (configuration: Configuration) =>
  Layer.provideMerge(Layer.effectDiscard(requireMigrated), layer(configuration))
