//! Reads `#[form(..)]`.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::meta::ParseNestedMeta;
use syn::spanned::Spanned;
use syn::{Attribute, Error, Expr, ExprUnary, Lit, LitInt, LitStr, Path, Result, UnOp};

/// A value and where it was written.
pub(crate) struct Written<T> {
    pub(crate) value: T,
    pub(crate) span: Span,
}

/// `#[form(crate = "..")]` on the type.
pub(crate) fn form_path(attributes: &[Attribute]) -> Result<TokenStream> {
    let mut path = None;
    each(attributes, |meta| {
        if !meta.path.is_ident("crate") {
            return Err(meta.error("here `form` knows `crate = \"..\"` only"));
        }
        let text: LitStr = meta.value()?.parse()?;
        set(&mut path, &meta, text.parse::<Path>()?)
    })?;
    let path = path.map_or_else(
        || quote::quote!(::mrtr),
        |path| path.value.into_token_stream(),
    );
    Ok(quote::quote!(#path::form))
}

/// `#[form(..)]` on a variant.
#[derive(Default)]
pub(crate) struct VariantAttributes {
    pub(crate) rename: Option<Written<String>>,
    pub(crate) title: Option<Written<String>>,
}

impl VariantAttributes {
    pub(crate) fn read(attributes: &[Attribute]) -> Result<Self> {
        let mut out = Self::default();
        each(attributes, |meta| {
            if meta.path.is_ident("rename") {
                set(&mut out.rename, &meta, text(&meta)?)
            } else if meta.path.is_ident("title") {
                set(&mut out.title, &meta, text(&meta)?)
            } else {
                Err(meta.error("a choice knows `rename` and `title` only"))
            }
        })?;
        Ok(out)
    }
}

/// `#[form(..)]` on a field. Numbers and defaults are kept as the expression that the generated code has.
#[derive(Default)]
pub(crate) struct FieldAttributes {
    pub(crate) rename: Option<Written<String>>,
    pub(crate) title: Option<Written<String>>,
    pub(crate) format: Option<Written<String>>,
    pub(crate) min: Option<Written<Number>>,
    pub(crate) max: Option<Written<Number>>,
    pub(crate) min_length: Option<Written<u32>>,
    pub(crate) max_length: Option<Written<u32>>,
    pub(crate) min_items: Option<Written<u32>>,
    pub(crate) max_items: Option<Written<u32>>,
    pub(crate) default: Option<Written<DefaultValue>>,
    pub(crate) not_secret: Option<Written<()>>,
}

const KNOWN: &str = "a field knows `title`, `rename`, `min`, `max`, `min_length`, `max_length`, `format`, `min_items`, \
     `max_items`, `default` and `not_secret`; its description is the doc comment";

impl FieldAttributes {
    pub(crate) fn read(attributes: &[Attribute]) -> Result<Self> {
        let mut out = Self::default();
        each(attributes, |meta| {
            let name = meta
                .path
                .get_ident()
                .map(ToString::to_string)
                .unwrap_or_default();
            match name.as_str() {
                "rename" => set(&mut out.rename, &meta, text(&meta)?),
                "title" => set(&mut out.title, &meta, text(&meta)?),
                "format" => set(&mut out.format, &meta, text(&meta)?),
                "min" => set(&mut out.min, &meta, number(&meta)?),
                "max" => set(&mut out.max, &meta, number(&meta)?),
                "min_length" => set(&mut out.min_length, &meta, count(&meta)?),
                "max_length" => set(&mut out.max_length, &meta, count(&meta)?),
                "min_items" => set(&mut out.min_items, &meta, count(&meta)?),
                "max_items" => set(&mut out.max_items, &meta, count(&meta)?),
                "default" => set(&mut out.default, &meta, DefaultValue::read(&meta.value()?.parse()?)?),
                "not_secret" => set(&mut out.not_secret, &meta, ()),
                "write_only" => Err(meta.error(
                    "what must not be shown must not travel through the client at all: leave the field out and send \
                     the person to a page of your own with `elicit_url`",
                )),
                _ => Err(meta.error(KNOWN)),
            }
        })?;
        Ok(out)
    }
}

/// A number as written.
#[derive(Clone, Copy)]
pub(crate) enum Number {
    Int(i128),
    Float(f64),
}

impl Number {
    fn read(expr: &Expr) -> Option<Result<Self>> {
        let (negative, expr) = match expr {
            Expr::Unary(ExprUnary {
                op: UnOp::Neg(_),
                expr,
                ..
            }) => (true, &**expr),
            expr => (false, expr),
        };
        let Expr::Lit(literal) = expr else {
            return None;
        };
        match &literal.lit {
            Lit::Int(value) => {
                let text = format!(
                    "{}{}",
                    if negative { "-" } else { "" },
                    value.base10_digits()
                );
                Some(
                    text.parse()
                        .map(Self::Int)
                        .map_err(|error| Error::new(value.span(), error)),
                )
            }
            Lit::Float(value) => {
                let sign = if negative { -1.0 } else { 1.0 };
                Some(
                    value
                        .base10_parse::<f64>()
                        .map(|size| Self::Float(sign * size)),
                )
            }
            _ => None,
        }
    }

    pub(crate) fn tokens(self, form: &TokenStream, span: Span) -> TokenStream {
        match self {
            Self::Int(value) => quote_spanned!(span=> #form::derive::NumberSpec::Int(#value)),
            Self::Float(value) if value.is_finite() => {
                quote_spanned!(span=> #form::derive::NumberSpec::Float(#value))
            }
            Self::Float(_) => {
                quote_spanned!(span=> #form::derive::NumberSpec::Float(::core::primitive::f64::INFINITY))
            }
        }
    }
}

/// A default as written.
pub(crate) enum DefaultValue {
    Text(LitStr),
    Number(Number),
    Boolean(bool),
    Variant(Path),
    Many(Vec<Choice>),
}

/// One of the defaults of a list.
pub(crate) enum Choice {
    Value(LitStr),
    Variant(Path),
}

impl DefaultValue {
    fn read(expr: &Expr) -> Result<Self> {
        if let Some(number) = Number::read(expr) {
            return number.map(Self::Number);
        }
        match expr {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => return Ok(Self::Text(text.clone())),
                Lit::Bool(value) => return Ok(Self::Boolean(value.value)),
                _ => {}
            },
            Expr::Path(path) if path.qself.is_none() => {
                return Ok(Self::Variant(path.path.clone()));
            }
            Expr::Array(array) => {
                return array
                    .elems
                    .iter()
                    .map(Choice::read)
                    .collect::<Result<_>>()
                    .map(Self::Many);
            }
            _ => {}
        }
        Err(Error::new_spanned(
            expr,
            "a default is a literal, a variant like `Class::Economy`, or an array of variants",
        ))
    }
}

impl Choice {
    fn read(expr: &Expr) -> Result<Self> {
        match expr {
            Expr::Path(path) if path.qself.is_none() => Ok(Self::Variant(path.path.clone())),
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => Ok(Self::Value(text.clone())),
                _ => Err(Error::new_spanned(
                    expr,
                    "a list holds variants like `Extra::Meal`",
                )),
            },
            _ => Err(Error::new_spanned(
                expr,
                "a list holds variants like `Extra::Meal`",
            )),
        }
    }
}

fn each(
    attributes: &[Attribute],
    mut read: impl FnMut(ParseNestedMeta<'_>) -> Result<()>,
) -> Result<()> {
    for attribute in attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("form"))
    {
        attribute.parse_nested_meta(&mut read)?;
    }
    Ok(())
}

fn set<T>(slot: &mut Option<Written<T>>, meta: &ParseNestedMeta<'_>, value: T) -> Result<()> {
    if slot.is_some() {
        return Err(meta.error("this is given twice"));
    }
    *slot = Some(Written {
        value,
        span: meta.path.span(),
    });
    Ok(())
}

fn text(meta: &ParseNestedMeta<'_>) -> Result<String> {
    Ok(meta.value()?.parse::<LitStr>()?.value())
}

fn count(meta: &ParseNestedMeta<'_>) -> Result<u32> {
    meta.value()?.parse::<LitInt>()?.base10_parse()
}

fn number(meta: &ParseNestedMeta<'_>) -> Result<Number> {
    let expr: Expr = meta.value()?.parse()?;
    Number::read(&expr).unwrap_or_else(|| {
        Err(Error::new_spanned(
            &expr,
            "a bound is a number, like `9` or `-0.5`",
        ))
    })
}
