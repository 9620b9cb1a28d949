//! An enum as a choice.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::{DataEnum, DeriveInput, Error, Fields, Result};

use crate::attributes::{VariantAttributes, form_path};
use crate::docs;

pub(crate) fn expand(input: &DeriveInput, data: &DataEnum) -> Result<TokenStream> {
    let form = form_path(&input.attrs)?;
    if data.variants.is_empty() {
        return Err(Error::new_spanned(
            &input.ident,
            "a choice needs at least one variant to choose",
        ));
    }
    let mut idents = Vec::new();
    let mut values: Vec<String> = Vec::new();
    let mut titles = Vec::new();
    for variant in &data.variants {
        if !matches!(variant.fields, Fields::Unit) {
            return Err(Error::new_spanned(
                variant,
                "a choice cannot carry fields: forms are flat, so ask for them in a form of their own",
            ));
        }
        let attributes = VariantAttributes::read(&variant.attrs)?;
        let renamed = attributes.rename.as_ref();
        let value = renamed.map_or_else(
            || variant.ident.unraw().to_string(),
            |rename| rename.value.clone(),
        );
        if values.contains(&value) {
            let span = renamed.map_or_else(|| variant.ident.span(), |rename| rename.span);
            return Err(Error::new(
                span,
                format!("another variant has the value `{value}`"),
            ));
        }
        let title = attributes
            .title
            .map(|title| title.value)
            .or_else(|| docs::text(&variant.attrs));
        titles.push(match title {
            Some(title) => quote!(::core::option::Option::Some(#title)),
            None => quote!(::core::option::Option::None),
        });
        idents.push(&variant.ident);
        values.push(value);
    }

    let name = &input.ident;
    let description = docs::text(&input.attrs);
    let description =
        description.map(|text| quote!(spec.description = ::core::option::Option::Some(#text);));
    let count = values.len();
    let visibility = input.vis.to_token_stream();
    Ok(quote! {
        #[automatically_derived]
        #[allow(clippy::all, clippy::pedantic)]
        const _: () = {
            impl #name {
                #[doc(hidden)]
                #[allow(dead_code, unreachable_pub)]
                #visibility const fn __form_value(&self) -> &'static str {
                    match self { #(Self::#idents => #values,)* }
                }
            }

            impl #form::FormChoice for #name {
                const CHOICES: &'static [#form::ChoiceSpec] = {
                    const CHOICES: [#form::ChoiceSpec; #count] =
                        [#(#form::ChoiceSpec { value: #values, title: #titles }),*];
                    &CHOICES
                };

                fn from_value(value: &str) -> ::core::option::Option<Self> {
                    match value {
                        #(#values => ::core::option::Option::Some(Self::#idents),)*
                        _ => ::core::option::Option::None,
                    }
                }

                fn value(&self) -> &'static str {
                    self.__form_value()
                }
            }

            impl #form::FormField for #name {
                const KIND: #form::KindSpec =
                    #form::KindSpec::Select(<Self as #form::FormChoice>::CHOICES);

                fn read(
                    value: &#form::FieldValue,
                ) -> ::core::result::Result<Self, ::std::string::String> {
                    #form::derive::read_choice(value)
                }
            }

            impl #form::Form for #name {
                fn schema() -> &'static #form::FormSchema {
                    static SCHEMA: ::std::sync::LazyLock<#form::FormSchema> =
                        ::std::sync::LazyLock::new(|| {
                            let mut spec = #form::derive::field::<#name>("choice").spec;
                            #description
                            #form::derive::schema(&[spec])
                        });
                    &SCHEMA
                }

                fn read(
                    content: &#form::FormContent,
                ) -> ::core::result::Result<Self, #form::Problems> {
                    let mut reader =
                        #form::derive::Reader::new(<Self as #form::Form>::schema(), content);
                    let typed = #form::derive::field::<#name>("choice");
                    let value = (typed.read)(&mut reader, 0usize);
                    value.ok_or_else(|| reader.finish())
                }
            }
        };
    })
}
