import { providerContract } from "../providerContract.ts"
import { subject } from "./Subject.ts"

providerContract(subject)
