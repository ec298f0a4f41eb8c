/** What cases to review are filtered by. Generated from `webapp/review/facets.py` by `manage.py export_openapi`. */
export const FACETS = {
  status: { title: 'Status', parameter: 'status', longest: 40, most: 10 },
  result: { title: 'Result', parameter: 'result', longest: 40, most: 10 },
  class: { title: 'Error class', parameter: 'error_class', longest: 40, most: 10 },
  dog: { title: 'DoG error class', parameter: 'dog', longest: 16, most: 10 },
  cause: { title: 'Proposed cause', parameter: 'cause', longest: 40, most: 10 },
  stage: { title: 'First wrong stage', parameter: 'stage', longest: 40, most: 10 },
  confidence: { title: 'Confidence', parameter: 'confidence', longest: 40, most: 10 },
  shape: { title: 'Shape', parameter: 'shape', longest: 40, most: 10 },
  domain: { title: 'Domain', parameter: 'domain', longest: 300, most: 10 },
  relation: { title: 'Relation', parameter: 'relation', longest: 300, most: 10 },
  other: { title: 'Compared evaluation', parameter: 'other', longest: 40, most: 10 },
  agreement: { title: 'Agreement of evaluations', parameter: 'agreement', longest: 40, most: 10 },
  says: { title: 'Verdict', parameter: 'says', longest: 40, most: 10 },
  named: { title: 'Reviewed cause', parameter: 'named', longest: 40, most: 10 },
  assignee: { title: 'Assigned to', parameter: 'assignee', longest: 300, most: 10 },
  confused: { title: 'Confused relations', parameter: 'confused', longest: 620, most: 4 },
} as const;
