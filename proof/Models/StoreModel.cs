using System.Net;
using System.Security.Cryptography;
using System.Text;
using Proof.Simulation;

namespace Proof.Models;

/// <summary>S3 with conditional PUTs.</summary>
internal sealed class StoreModel(World world) : IService
{
    public const string Bucket = "archive";

    private readonly SortedDictionary<string, byte[]> _objects = new(StringComparer.Ordinal);
    private readonly HashSet<string> _lines = new(StringComparer.Ordinal);

    /// <summary>True while every request fails.</summary>
    public bool IsDown { get; set; }

    /// <summary>True when the object, or a line of a bundle, is this message.</summary>
    public bool Holds(string key, byte[] body) =>
        (_objects.TryGetValue(key, out byte[]? stored) && stored.AsSpan().SequenceEqual(body)) || _lines.Contains(Encoding.UTF8.GetString(body));

    /// <summary>What the objects hold: the body of each, and for a bundle each of its lines.</summary>
    public IEnumerable<(string Key, string Body)> Contents() => _objects
        .Where(stored => !IsBundle(stored.Key))
        .Select(stored => (stored.Key, Encoding.UTF8.GetString(stored.Value)))
        .Concat(_lines.Select(line => (string.Empty, line)));

    public void Handle(ServiceRequest request, Action<ServiceAnswer> answer)
    {
        if (IsDown)
        {
            world.Meets(Fault.StoreIsDown);
        }

        answer(IsDown ? Unavailable(0) : Answer(request));
    }

    public ServiceAnswer Unavailable(int draw) => (draw % 3) switch
    {
        0 => Error(HttpStatusCode.ServiceUnavailable, "SlowDown"),
        1 => Error(HttpStatusCode.InternalServerError, "InternalError"),
        _ => Error(HttpStatusCode.Conflict, "ConditionalRequestConflict"),
    };

    private ServiceAnswer Answer(ServiceRequest request)
    {
        string key = Uri.UnescapeDataString(request.Path[(Bucket.Length + 2)..]);
        _objects.TryGetValue(key, out byte[]? stored);
        switch (request.Method)
        {
            case "PUT" when stored is not null:
                world.Meets(Fault.StoreHasObject);
                return Error(HttpStatusCode.PreconditionFailed, "PreconditionFailed");
            case "PUT":
                _objects.Add(key, request.Body);
                if (IsBundle(key))
                {
                    // Of a bundle that cannot be read, the messages are lost.
                    _lines.UnionWith(Gzip.ReadLines(request.Body));
                }

                world.Trace("stored", key);
                return new ServiceAnswer(HttpStatusCode.OK, [], ETagOf(request.Body));
            case "HEAD":
                return stored is null
                    ? new ServiceAnswer(HttpStatusCode.NotFound, [])
                    : new ServiceAnswer(HttpStatusCode.OK, [], ETagOf(stored), stored.Length);
            case "GET" when key.Length == 0:
                return ServiceAnswer.Text(HttpStatusCode.OK, "<ListBucketResult><Name>archive</Name></ListBucketResult>");
            default:
                return stored is null ? Error(HttpStatusCode.NotFound, "NoSuchKey") : new ServiceAnswer(HttpStatusCode.OK, stored, ETagOf(stored));
        }
    }

    public static bool IsBundle(string key) => key.EndsWith(".ndjson.gz", StringComparison.Ordinal);

    private static ServiceAnswer Error(HttpStatusCode status, string code) =>
        ServiceAnswer.Text(status, $"<Error><Code>{code}</Code><Message>simulated</Message></Error>");

#pragma warning disable CA5351 // S3's ETag is an MD5
    private static string ETagOf(byte[] body) => $"\"{Convert.ToHexStringLower(MD5.HashData(body))}\"";
#pragma warning restore CA5351
}
