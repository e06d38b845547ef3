"""The page that a person reads: findings in sentences, figures with values, tables, checklist."""
