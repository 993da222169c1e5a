using System.Security.Cryptography;
using System.Text;

namespace Benchmarks.Aws.Put;

/// <summary>What is put: one body of 1 KiB under keys like the worker's, 84 bytes each; the same in every run.</summary>
internal sealed class PutObjects
{
    public const string Bucket = "archive";
    public const int BodyLength = 1_024;

    private const int Seed = 20190401;
    private const int Keys = 64;

    public PutObjects()
    {
        Random random = new(Seed);
        Body = new byte[BodyLength];
        random.NextBytes(Body);
        ETag = $"\"{Convert.ToHexStringLower(MD5.HashData(Body))}\"";
        byte[] id = new byte[16];
        KeyTexts = new string[Keys];
        KeyBytes = new byte[Keys][];
        for (int i = 0; i < Keys; i++)
        {
            random.NextBytes(id);
            KeyTexts[i] = $"my_product/site_key/my_event/2019/04/01/10/{new Guid(id)}.json";
            KeyBytes[i] = Encoding.UTF8.GetBytes(KeyTexts[i]);
        }
    }

    public byte[] Body { get; }

    /// <summary>With its quotes.</summary>
    public string ETag { get; }

    public string[] KeyTexts { get; }

    public byte[][] KeyBytes { get; }
}
