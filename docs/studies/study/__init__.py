"""The numbers and pictures of the study, from the archives of the database."""
