import { formatTable, type Report } from "./report.ts"
import { formatStudy, type StudyReport } from "./studyReport.ts"

/** What a scenario comes to: beside the baseline, or of its own kind. */
export type Result = Report | StudyReport

const isStudy = (result: Result): result is StudyReport => "figures" in result

/** Neighbours of the same scenario share a table. */
export const formatResults = (results: ReadonlyArray<Result>) => {
  const tables: Array<string> = []
  let compared: Array<Report> = []
  const finish = () => {
    if (compared.length > 0) tables.push(formatTable(compared))
    compared = []
  }
  for (const result of results) {
    if (!isStudy(result) && (compared[0]?.scenario ?? result.scenario) === result.scenario) compared.push(result)
    else {
      finish()
      if (isStudy(result)) tables.push(formatStudy(result))
      else compared.push(result)
    }
  }
  finish()
  return tables.join("\n\n")
}

/** A single measurement is an object, several are an array of them. */
export const formatJson = (results: ReadonlyArray<Result>) =>
  JSON.stringify(results.length === 1 ? results[0] : results, null, 2)
