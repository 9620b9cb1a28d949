//! A struct as a form.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{DataStruct, DeriveInput, Error, Field, Fields, Ident, Path, Result};

use crate::attributes::{Choice, DefaultValue, FieldAttributes, form_path};
use crate::docs;

pub(crate) fn expand(input: &DeriveInput, data: &DataStruct) -> Result<TokenStream> {
    let form = form_path(&input.attrs)?;
    if let Fields::Unnamed(_) = data.fields {
        return Err(Error::new_spanned(
            &input.ident,
            "the fields of a form need names: write `struct Name { field: Type }`",
        ));
    }
    let mut errors: Option<Error> = None;
    let mut names = Vec::new();
    let mut constants = Vec::new();
    for field in &data.fields {
        match one_field(&form, field, constants.len(), &mut names) {
            Ok(constant) => constants.push(constant),
            Err(error) => match &mut errors {
                Some(errors) => errors.combine(error),
                none => *none = Some(error),
            },
        }
    }
    if let Some(errors) = errors {
        return Err(errors);
    }

    let name = &input.ident;
    let count = constants.len();
    let fields: Vec<Ident> = (0..count).map(constant).collect();
    let idents: Vec<_> = data
        .fields
        .iter()
        .filter_map(|field| field.ident.as_ref())
        .collect();
    let values: Vec<Ident> = (0..count).map(|i| format_ident!("value_{i}")).collect();
    let positions = 0..count;
    Ok(quote! {
        #[automatically_derived]
        #[allow(clippy::all, clippy::pedantic)]
        const _: () = {
            #(#constants)*
            const _: () = ::core::assert!(
                #count <= #form::FormSchema::MAX_FIELDS,
                "a form has at most 256 fields: split the question",
            );

            impl #form::Form for #name {
                fn schema() -> &'static #form::FormSchema {
                    static SCHEMA: ::std::sync::LazyLock<#form::FormSchema> =
                        ::std::sync::LazyLock::new(|| #form::derive::schema(&[#(#fields.spec),*]));
                    &SCHEMA
                }

                fn read(
                    content: &#form::FormContent,
                ) -> ::core::result::Result<Self, #form::Problems> {
                    let mut reader =
                        #form::derive::Reader::new(<Self as #form::Form>::schema(), content);
                    #(let #values = (#fields.read)(&mut reader, #positions);)*
                    match (#(#values,)*) {
                        (#(::core::option::Option::Some(#values),)*) => {
                            ::core::result::Result::Ok(Self { #(#idents: #values),* })
                        }
                        #[allow(unreachable_patterns)]
                        _ => ::core::result::Result::Err(reader.finish()),
                    }
                }
            }
        };
    })
}

/// The field's spec as a constant, and the checks of it.
fn one_field(
    form: &TokenStream,
    field: &Field,
    position: usize,
    names: &mut Vec<String>,
) -> Result<TokenStream> {
    let Some(ident) = &field.ident else {
        return Err(Error::new(field.span(), "the fields of a form need names"));
    };
    let attributes = FieldAttributes::read(&field.attrs)?;
    let renamed = attributes.rename.as_ref();
    let name = renamed.map_or_else(|| ident.unraw().to_string(), |rename| rename.value.clone());
    let name_span = renamed.map_or_else(|| ident.span(), |rename| rename.span);
    if names.contains(&name) {
        return Err(Error::new(
            name_span,
            format!("another field of this form is called `{name}`"),
        ));
    }

    let ty = &field.ty;
    let mut assignments = Vec::new();
    let mut checks = vec![check(position, "check_names", name_span)];
    if let Some(text) = docs::text(&field.attrs) {
        assignments.push(quote!(typed.spec.description = ::core::option::Option::Some(#text);));
    }
    let mut assign = |member: &str, value: TokenStream, verdict: Option<&str>, span: Span| {
        let member = Ident::new(member, Span::call_site());
        assignments.push(quote!(typed.spec.#member = ::core::option::Option::Some(#value);));
        checks.extend(verdict.map(|verdict| check(position, verdict, span)));
    };
    if let Some(title) = &attributes.title {
        assign("title", title.value.to_token_stream(), None, title.span);
    }
    if let Some(format) = &attributes.format {
        assign(
            "format",
            format.value.to_token_stream(),
            Some("check_format"),
            format.span,
        );
    }
    for (member, number, verdict) in [
        ("min", &attributes.min, "check_min"),
        ("max", &attributes.max, "check_max"),
    ] {
        if let Some(number) = number {
            let value = number.value.tokens(form, number.span);
            assign(member, value, Some(verdict), number.span);
        }
    }
    for (members, [min, max], verdict) in [
        (
            ["min_length", "max_length"],
            [&attributes.min_length, &attributes.max_length],
            "check_length",
        ),
        (
            ["min_items", "max_items"],
            [&attributes.min_items, &attributes.max_items],
            "check_items",
        ),
    ] {
        // One check for both, at the one written.
        for (member, count, verdict) in [
            (members[0], min, max.is_none().then_some(verdict)),
            (members[1], max, Some(verdict)),
        ] {
            if let Some(count) = count {
                assign(member, count.value.to_token_stream(), verdict, count.span);
            }
        }
    }
    if let Some(default) = &attributes.default {
        let value = default_tokens(form, &default.value, default.span);
        assign("default", value, Some("check_default"), default.span);
    }
    if attributes.not_secret.is_some() {
        assignments.push(quote!(typed.spec.not_secret = true;));
    }

    let of = quote_spanned!(ty.span()=> #form::derive::field::<#ty>(#name));
    names.push(name);
    let typed = if assignments.is_empty() {
        of
    } else {
        quote!({ let mut typed = #of; #(#assignments)* typed })
    };
    let constant = constant(position);
    Ok(quote! {
        const #constant: #form::derive::TypedSpec<#ty> = #typed;
        #(#checks)*
    })
}

/// The constant that holds the field's spec.
fn constant(position: usize) -> Ident {
    format_ident!("FIELD_{position}")
}

/// Has the compiler check the field and show what is wrong at this place.
fn check(position: usize, verdict: &str, span: Span) -> TokenStream {
    let verdict = Ident::new(verdict, span);
    let constant = constant(position);
    quote_spanned! {span=>
        const _: () = if let ::core::option::Option::Some(mistake) = #constant.spec.#verdict() {
            ::core::panic!("{}", mistake)
        };
    }
}

fn default_tokens(form: &TokenStream, default: &DefaultValue, span: Span) -> TokenStream {
    let spec = quote_spanned!(span=> #form::derive::DefaultSpec);
    match default {
        DefaultValue::Text(text) => quote!(#spec::Text(#text)),
        DefaultValue::Number(number) => {
            let number = number.tokens(form, span);
            quote!(#spec::Number(#number))
        }
        DefaultValue::Boolean(value) => quote!(#spec::Boolean(#value)),
        DefaultValue::Variant(path) => {
            let value = variant(path);
            quote!(#spec::Text(#value))
        }
        DefaultValue::Many(choices) => {
            let values = choices.iter().map(|choice| match choice {
                Choice::Value(text) => text.to_token_stream(),
                Choice::Variant(path) => variant(path),
            });
            quote!(#spec::Many(&[#(#values),*]))
        }
    }
}

/// The value of a variant on the wire.
fn variant(path: &Path) -> TokenStream {
    quote_spanned!(path.span()=> (#path).__form_value())
}
