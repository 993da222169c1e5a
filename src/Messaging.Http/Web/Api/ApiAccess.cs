using System.Net;
using System.Security.Cryptography;
using System.Text;
using Messaging.Http.Source;
using Microsoft.AspNetCore.Http;

namespace Messaging.Http.Web.Api;

/// <summary>
/// Who may use the page and its API. Where the worker listens on loopback, reading needs no token; what changes something needs it
/// always, and beyond loopback so does reading. Threads: any.
/// </summary>
internal sealed class ApiAccess(WebOptions options)
{
    private const string Key = $"{WebOptions.Section}:{nameof(WebOptions.Token)}";
    private const string Scheme = "Bearer ";

    private static readonly HttpRefusal NotSet = new(
        StatusCodes.Status403Forbidden, "token-not-set", $"This needs a token, and the worker has none. Set {Key}, and send it as Authorization: Bearer.");

    private static readonly HttpRefusal Required = new(
        StatusCodes.Status401Unauthorized, "token-required", $"Send the worker's token ({Key}) as Authorization: Bearer.");

    private static readonly HttpRefusal Wrong = new(
        StatusCodes.Status401Unauthorized, "token-wrong", $"The token is not the worker's ({Key}).");

    // Compared as hashes: of one length, whatever is sent.
    private readonly byte[]? _token = string.IsNullOrEmpty(options.Token) ? null : Hash(options.Token);

    /// <summary>True when there is a token, with which something can be changed.</summary>
    public bool HasToken => _token is not null;

    /// <summary>Why the page is off; null while it may be shown. It holds no data itself.</summary>
    public HttpRefusal? CheckPage() => HasToken || IPAddress.IsLoopback(options.Address) ? null : NotSet;

    /// <summary>Why a request is refused.</summary>
    /// <param name="request">The request.</param>
    /// <param name="changes">True when it changes something.</param>
    /// <returns>Null when it is allowed.</returns>
    public HttpRefusal? Check(HttpRequest request, bool changes)
    {
        if (!changes && IPAddress.IsLoopback(options.Address))
        {
            return null;
        }

        if (_token is null)
        {
            return NotSet;
        }

        string given = request.Headers.Authorization.ToString();
        return !given.StartsWith(Scheme, StringComparison.OrdinalIgnoreCase) ? Required
            : CryptographicOperations.FixedTimeEquals(Hash(given[Scheme.Length..].Trim()), _token) ? null
            : Wrong;
    }

    private static byte[] Hash(string token) => SHA256.HashData(Encoding.UTF8.GetBytes(token));
}
