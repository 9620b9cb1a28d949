//! Reads an answer into a derived form.

use super::content::FormContent;
use super::problem::Problems;
use super::schema::FormSchema;
use super::typed::FormField;

/// Reads the fields of a derived form and collects what is wrong with them.
#[derive(Debug)]
pub struct Reader<'a> {
    schema: &'static FormSchema,
    content: &'a FormContent,
    problems: Problems,
}

impl<'a> Reader<'a> {
    /// Reads this content of this form.
    #[must_use]
    pub fn new(schema: &'static FormSchema, content: &'a FormContent) -> Self {
        Self {
            schema,
            content,
            problems: Problems::new(),
        }
    }

    /// What is wrong.
    #[must_use]
    pub fn finish(self) -> Problems {
        self.problems
    }
}

/// The value of the field at this position of the form; `None` after noting a problem.
pub(super) fn read_field<T: FormField>(reader: &mut Reader<'_>, position: usize) -> Option<T> {
    let field = reader.schema.fields().get(position)?;
    let problem = match reader.content.get(&field.name) {
        Some(value) => match T::read(value) {
            Ok(value) => return Some(value),
            Err(predicate) => field.problem(&predicate),
        },
        None => match T::absent() {
            Some(value) => return Some(value),
            None => field.missing(),
        },
    };
    reader.problems.push(problem);
    None
}
