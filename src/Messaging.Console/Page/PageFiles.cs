using System.IO.Compression;
using System.Net;
using System.Reflection;
using System.Security.Cryptography;
using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Net.Http.Headers;
using Quayside.Messaging.Console.Api;
using Quayside.Messaging.Http;

namespace Quayside.Messaging.Console.Page;

/// <summary>
/// Serves the files of the page from the assembly, and the document that most problems name. They contain no data of the worker: the page reads that
/// over the API. Threads: any.
/// </summary>
internal sealed class PageFiles(ApiAccess access, HttpAnswers answers)
{
    private const string Prefix = "Page/";
    private const string Index = "index.html";

    /// <summary>The document, under its name in the repository.</summary>
    public const string Alerts = "docs/guides/alerts.md";

    /// <summary>Maps <c>GET /</c> and the files that it loads.</summary>
    public void Map(IEndpointRouteBuilder endpoints)
    {
        Assembly assembly = typeof(PageFiles).Assembly;
        foreach (string resource in assembly
            .GetManifestResourceNames()
            .Where(static name => name.StartsWith(Prefix, StringComparison.Ordinal) || name == Alerts))
        {
            PageFile file = PageFile.Read(assembly, resource, asPage: resource == Alerts);
            string name = resource == Alerts ? resource : resource[Prefix.Length..];
            endpoints.MapGet(name == Index ? "/" : $"/{name}", context => SendAsync(context, file, TypeOf(name)));
        }
    }

    private static string TypeOf(string name) => Path.GetExtension(name) switch
    {
        ".html" => "text/html; charset=utf-8",
        ".css" => "text/css; charset=utf-8",
        ".js" => "text/javascript; charset=utf-8",
        ".svg" => "image/svg+xml",
        ".md" => "text/html; charset=utf-8",
        _ => "application/octet-stream",
    };

    private async Task SendAsync(HttpContext context, PageFile file, string type)
    {
        if (access.CheckPage() is { } refusal)
        {
            await answers.RefuseAsync(context, refusal);
            return;
        }

        context.Response.Headers.ETag = file.Tag.ToString();
        context.Response.Headers.Vary = "Accept-Encoding";
        context.Response.Headers.CacheControl = "no-cache";
        context.Response.Headers.XContentTypeOptions = "nosniff";
        context.Response.Headers["Referrer-Policy"] = "no-referrer";
        context.Response.Headers.ContentSecurityPolicy = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'";
        if (context.Request.GetTypedHeaders().IfNoneMatch.Any(known => known.Compare(file.Tag, useStrongComparison: false)))
        {
            context.Response.StatusCode = StatusCodes.Status304NotModified;
            return;
        }

        bool compressed = context.Request.GetTypedHeaders().AcceptEncoding.Any(
            static encoding => encoding.Value.Equals("gzip", StringComparison.OrdinalIgnoreCase) && encoding.Quality is not 0);
        if (compressed)
        {
            context.Response.Headers.ContentEncoding = "gzip";
        }

        await ApiJson.SendAsync(context, compressed ? file.Compressed : file.Bytes, contentType: type);
    }

    private sealed record PageFile(byte[] Bytes, byte[] Compressed, EntityTagHeaderValue Tag)
    {
        // As plain text, a browser would ask for /favicon.ico, and that would be a refused request.
        private const string PageBefore = "<!doctype html><html lang=\"en\"><title>Alerts</title><link rel=\"icon\" href=\"/favicon.svg\"><link "
            + "rel=\"stylesheet\" href=\"/page.css\"><main><p>";

        /// <param name="assembly">Has the resource.</param>
        /// <param name="resource">Its name.</param>
        /// <param name="asPage">True for a text that is shown as a page.</param>
        public static PageFile Read(Assembly assembly, string resource, bool asPage)
        {
            using Stream content = assembly.GetManifestResourceStream(resource)!;
            byte[] bytes = new byte[content.Length];
            content.ReadExactly(bytes);
            bytes = asPage ? Encoding.UTF8.GetBytes($"{PageBefore}{WebUtility.HtmlEncode(Encoding.UTF8.GetString(bytes))}") : bytes;
            using MemoryStream compressed = new();
            using (GZipStream gzip = new(compressed, CompressionLevel.Optimal))
            {
                gzip.Write(bytes);
            }

            // One weak tag for both encodings.
            return new PageFile(
                bytes, compressed.ToArray(), new EntityTagHeaderValue($"\"{Convert.ToHexStringLower(SHA256.HashData(bytes)[..8])}\"", isWeak: true));
        }
    }
}
