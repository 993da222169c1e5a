using System.Net.Http.Headers;
using System.Security.Cryptography;
using System.Text;
using System.Text.Unicode;
using Amazon;
using Amazon.Runtime;
using Amazon.Runtime.Internal;
using Amazon.Runtime.Internal.Auth;
using Amazon.S3;
using Amazon.S3.Endpoints;
using Amazon.S3.Internal;
using Amazon.S3.Model;
using Amazon.S3.Model.Internal.MarshallTransformations;
using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Aws.S3.Sink.Direct;
using Quayside.Messaging.Sinks;

namespace Proof.Fuzz.Targets;

/// <summary>
/// The direct client's signatures beside AWSSDK.S3's. The SDK makes, addresses and signs the same request out of the same settings, at the same
/// second: the same Authorization header means the same path, names and values. A PUT for each input, and a HEAD or a listing.
/// </summary>
internal sealed class PutSignatureTarget : FuzzTarget
{
    private const string Secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";

    private static readonly string[] Regions = ["eu-west-1", "us-east-1", "us-gov-west-1", "cn-north-1", "ap-southeast-2"];
    private static readonly string?[] Encryptions = [null, "AES256", "aws:kms", "aws:kms:dsse"];
    private static readonly string?[] Endpoints = [null, null, "http://127.0.0.1:9000", "https://store.example.com:8443", "http://[::1]:9000"];

    private readonly Clock _clock = new();
    private readonly AWS4Signer _signer = new();
    private readonly AmazonS3Config _config = new() { RegionEndpoint = RegionEndpoint.EUWest1 };
    private readonly AmazonS3EndpointProvider _endpoints = new();

    public override int Slowness => 10;

    /// <summary>
    /// A line each: choices, key, content type, content encoding, token, body, then <c>name=value</c> of metadata, and with
    /// <c>#</c> before it of tags.
    /// </summary>
    public override IReadOnlyList<byte[]> Corpus { get; } =
    [
        .. Texts.Utf8(
            "0\na/b.json\napplication/json\n\n\n{}",
            "1\nproduct/a b//id~-_.json\ntext/plain; charset=utf-8\ngzip\na/token+with=signs\nbody\nteam=orders  and  returns\n#a b=c+d @:/",
            "2\né€/漢😀/..//./%41 +~=&?#\na/b\n\n\n\nname=grün\ntoo= a \nx_y=1\nx-y=2\n#team=\n#class=é"),
    ];

    public override IReadOnlyList<byte[]> Dictionary { get; } =
    [
        .. Texts.Utf8(
            "\n", "\n#", "=", "/", "//", "..", "./", "%2F", "%", "+", " ", "  ", "\t", "~", "*", "'", "(", ")", "!", "&", "?", "#", ":", ";", ",", "\"", "\\",
            "<", "é", "漢", "😀", "\u0000", "\u007F", "\u00A0", "\u2028", "A", "a_b=", "a-b=", "a.b=", "X-Amz-Date=1", "1", "7", "255", "=?UTF-8?B?"),
        [0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80],
    ];

    public override int Run(ReadOnlyMemory<byte> input)
    {
        List<byte[]> lines = [];
        foreach (Range line in input.Span.Split((byte)'\n'))
        {
            lines.Add(input.Span[line].ToArray());
        }

        string TextOf(int line) => line < lines.Count ? Encoding.UTF8.GetString(lines[line]) : string.Empty;
        uint choices = Hash(lines[0]);
        uint Choose(uint of)
        {
            uint choice = choices % of;
            choices /= of;
            return choice;
        }

        byte[] key = lines.Count > 1 ? lines[1] : [];
        if (key.Length is 0 or > 1_024 || !Utf8.IsValid(key))
        {
            return 0;
        }

        string? encryption = Encryptions[Choose(4)];
        bool isKms = encryption?.StartsWith("aws:kms", StringComparison.Ordinal) == true;
        string? custom = Endpoints[Choose(5)];
        bool isOwn = Choose(2) == 0;
        KeyValuePair<string, string>[] metadata = Properties(lines, ObjectPropertyKind.Metadata);
        KeyValuePair<string, string>[] tags = Properties(lines, ObjectPropertyKind.Tag);
        S3SinkOptions options = new()
        {
            Bucket = Choose(4) == 0 ? "arch.ive" : "archive",
            Conditional = Choose(2) == 0,
            ContentType = HeaderOf(TextOf(2)),
            ContentEncoding = HeaderOf(TextOf(3)),
            ServerSideEncryption = encryption,
            KmsKeyId = isKms && Choose(2) == 0 ? "arn:aws:kms:eu-west-1:123456789012:key/1" : null,
            StorageClass = Choose(2) == 0 ? "STANDARD_IA" : null,
            Acl = Choose(2) == 0 ? "bucket-owner-full-control" : null,
            ExpectedBucketOwner = Choose(2) == 0 ? "123456789012" : null,
            RequestChecksumCalculation = Choose(2) == 0 ? RequestChecksumCalculation.WHEN_SUPPORTED : RequestChecksumCalculation.WHEN_REQUIRED,
            Metadata = new Dictionary<string, string>(isOwn ? [] : metadata),
            Tags = new Dictionary<string, string>(isOwn ? [] : tags),
        };
        S3Endpoint endpoint = new(custom is null ? null : new Uri(custom), Regions[Choose(5)], PathStyle: custom is not null || Choose(4) == 0);

        // A token has no blanks, so the pooled PUT takes it as it is.
        SigningCredentials credentials = new("access-key", Secret, HeaderOf(TextOf(4))?.Replace(" ", string.Empty, StringComparison.Ordinal));
        byte[] body = lines.Count > 5 ? lines[5] : [];

        PutObjectRequest put = PutOf(options, key, body, metadata, tags);
        BucketAddress address = BucketAddress.Create(options.Bucket!, endpoint);
        PutSigner signer = new(options, options.ContentType ?? "application/json", address, endpoint.Region, new AwsClock(_clock));
        IRequest twin = PutObjectRequestMarshaller.Instance.Marshall(put);
        twin.Content = body;
        string expected = Sign(twin, options, endpoint, credentials);
        using (PutRequest request = isOwn ? signer.CreateOwnPut(_clock, new ObjectProperties { Metadata = metadata, Tags = tags }) : signer.CreatePut(_clock))
        {
            request.Open(key, body, TimeSpan.FromHours(1), CancellationToken.None);
            signer.Sign(request, credentials);
            Check(request, twin, expected);
            request.Close();
        }

        CheckRead(options, endpoint, key, address, signer, credentials);
        return HashCode.Combine(expected[..expected.LastIndexOf(' ')], Scale(key.Length));
    }

    private static void Check(HttpRequestMessage request, IRequest twin, string expected)
    {
        string? HeaderOf(string name) =>
            request.Headers.NonValidated.TryGetValues(name, out HeaderStringValues values)
                || request.Content?.Headers.NonValidated.TryGetValues(name, out values) == true ? values.ToString() : null;
        string? actual = HeaderOf("Authorization");
        if (actual != expected)
        {
            IEnumerable<string> different = twin.Headers
                .Where(header => HeaderOf(header.Key) != header.Value)
                .Select(header => $"{header.Key}: {HeaderOf(header.Key)} (the twin: {header.Value})");
            throw new FuzzException(
                $"{request.Method} {request.RequestUri!.OriginalString}: {actual}; the twin: {twin.Endpoint} {expected}; {string.Join("; ", different)}");
        }
    }

    // A header has no blanks at its ends and is not empty; the settings allow printable ASCII.
    private static string? HeaderOf(string text) => new string([.. text.Where(c => c is >= ' ' and <= '~')]).Trim(' ') is { Length: > 0 } clean ? clean : null;

    private static KeyValuePair<string, string>[] Properties(List<byte[]> lines, ObjectPropertyKind kind)
    {
        Dictionary<string, string> properties = new(StringComparer.OrdinalIgnoreCase);
        foreach (byte[] line in lines.Skip(6))
        {
            string text = Encoding.UTF8.GetString(line);
            bool isTag = text.StartsWith('#');
            string[] parts = text.TrimStart('#').Split('=', 2);
            if (isTag == (kind == ObjectPropertyKind.Tag)
                && parts.Length == 2
                && properties.TryAdd(parts[0], parts[1])
                && S3PropertyRules.FindProblems(properties, kind).Any())
            {
                properties.Remove(parts[0]);
            }
        }

        return [.. properties];
    }

    private PutObjectRequest PutOf(S3SinkOptions options, byte[] key, byte[] body, KeyValuePair<string, string>[] metadata, KeyValuePair<string, string>[] tags)
    {
        PutObjectRequest put = new()
        {
            BucketName = options.Bucket,
            Key = Encoding.UTF8.GetString(key),
            IfNoneMatch = options.Conditional ? "*" : null,
            ServerSideEncryptionMethod = options.ServerSideEncryption,
            ServerSideEncryptionKeyManagementServiceKeyId = options.KmsKeyId,
            StorageClass = options.StorageClass,
            CannedACL = options.Acl,
            ExpectedBucketOwner = options.ExpectedBucketOwner,
            ChecksumSHA256 = options.RequestChecksumCalculation == RequestChecksumCalculation.WHEN_SUPPORTED
                ? Convert.ToBase64String(SHA256.HashData(body))
                : null,
        };
        if (tags.Length > 0)
        {
            put.TagSet = [.. tags.Select(tag => new Tag { Key = tag.Key, Value = tag.Value })];
        }

        put.Headers.ContentType = options.ContentType ?? "application/json";
        put.Headers.ContentEncoding = options.ContentEncoding;
        foreach ((string name, string value) in metadata)
        {
            put.Metadata[S3PropertyRules.NameOf(name)] = S3PropertyRules.EncodeMetadata(value);
        }

        return put;
    }

    private void CheckRead(S3SinkOptions options, S3Endpoint endpoint, byte[] key, BucketAddress address, PutSigner signer, SigningCredentials credentials)
    {
        // The SDK leaves out the slash after a bucket in the path.
        bool isHead = address.TargetOf(address.OfBucket(string.Empty)).Length > "/?".Length || Hash(key) % 8 != 0;
        IRequest twin;
        if (isHead)
        {
            GetObjectMetadataRequest head = new()
            { BucketName = options.Bucket, Key = Encoding.UTF8.GetString(key), ExpectedBucketOwner = options.ExpectedBucketOwner };
            twin = GetObjectMetadataRequestMarshaller.Instance.Marshall(head);
        }
        else
        {
            ListObjectsV2Request list = new() { BucketName = options.Bucket, MaxKeys = 1, ExpectedBucketOwner = options.ExpectedBucketOwner };
            twin = ListObjectsV2RequestMarshaller.Instance.Marshall(list);
        }

        using HttpRequestMessage request = isHead ? new(HttpMethod.Head, address.Of(key)) : new(HttpMethod.Get, address.OfBucket("list-type=2&max-keys=1"));
        signer.Sign(request, credentials);
        Check(request, twin, Sign(twin, options, endpoint, credentials));
    }

    /// <summary>The SDK's Authorization header.</summary>
    private string Sign(IRequest request, S3SinkOptions options, S3Endpoint endpoint, SigningCredentials credentials)
    {
        Amazon.Runtime.Endpoints.Endpoint resolved = _endpoints.ResolveEndpoint(new S3EndpointParameters
        {
            Bucket = options.Bucket,
            Region = endpoint.Region,
            Endpoint = endpoint.Custom?.ToString(),
            ForcePathStyle = endpoint.PathStyle,
        });
        request.Endpoint = new Uri(resolved.URL);
        request.AuthenticationRegion = endpoint.Region;
        if (credentials.SessionToken is { } token)
        {
            request.Headers["X-Amz-Security-Token"] = token;
        }

        AWS4SigningResult result =
            _signer.SignRequest(request, _config, metrics: null, credentials.AccessKeyId, credentials.SecretAccessKey, _clock.GetUtcNow().UtcDateTime);
        return result.ForAuthorizationHeader;
    }

    /// <summary>The time of all signatures.</summary>
    private sealed class Clock : TimeProvider
    {
        private readonly DateTimeOffset _now = new(2026, 1, 31, 10, 0, 0, TimeSpan.Zero);

        public override DateTimeOffset GetUtcNow() => _now;
    }
}
