using System.Net;
using System.Security.Cryptography;
using System.Text;
using Microsoft.AspNetCore.Http;
using Quayside.Messaging.Http;

namespace Quayside.Messaging.Console.Api;

/// <summary>
/// Decides who may use the page and its API. Changes always need the token; reading needs it unless the worker listens on loopback, for this machine
/// only. Threads: any.
/// </summary>
internal sealed class ApiAccess(ConsoleOptions options, WebOptions web)
{
    private const string Key = $"{WebOptions.Section}:{nameof(ConsoleOptions.Token)}";
    private const string Scheme = "Bearer ";

    private static readonly HttpRefusal NotSet = new(
        StatusCodes.Status403Forbidden, "token-not-set",
        $"This request needs a token, but the worker has none. Set {Key}, and send it as Authorization: Bearer.");

    private static readonly HttpRefusal Required = new(
        StatusCodes.Status401Unauthorized, "token-required", $"Send the worker's token ({Key}) as Authorization: Bearer.");

    private static readonly HttpRefusal Wrong = new(
        StatusCodes.Status401Unauthorized, "token-wrong", $"The token does not match the worker's ({Key}).");

    // Hashed, so that tokens of any length are compared in constant time.
    private readonly byte[]? _token = string.IsNullOrEmpty(options.Token) ? null : Hash(options.Token);

    // Hosts to allow mean that a proxy on this machine forwards requests of others.
    private readonly bool _isForThisMachine = IPAddress.IsLoopback(web.Address) && web.AllowedHosts.Length == 0;

    /// <summary>True when a token is set, so that changes are possible.</summary>
    public bool HasToken => _token is not null;

    /// <summary>Why the page is not served; null when it is. It contains no data of the worker.</summary>
    public HttpRefusal? CheckPage() => HasToken || _isForThisMachine ? null : NotSet;

    /// <param name="request">The request.</param>
    /// <param name="changes">True when it changes something.</param>
    /// <returns>Null when it is allowed.</returns>
    public HttpRefusal? Check(HttpRequest request, bool changes)
    {
        if (!changes && _isForThisMachine)
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
